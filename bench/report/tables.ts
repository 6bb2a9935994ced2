import Table from 'cli-table3';

import type { ScenarioSummary, SummaryRow } from './summary.js';

const decimalsBelow = [
  { limit: 10, decimals: 2 },
  { limit: 100, decimals: 1 },
];

const noLinesBetweenRows = { mid: '', 'left-mid': '', 'mid-mid': '', 'right-mid': '' };

/** A table for each scenario, for a terminal. */
export function renderTables(summaries: readonly ScenarioSummary[]): string {
  return summaries.map(renderTable).join('\n\n');
}

function renderTable({ scenario, rows }: ScenarioSummary): string {
  const table = new Table({
    head: [scenario, '', 'bare', 'service', 'service / bare'],
    colAligns: ['left', 'left', 'right', 'right', 'right'],
    style: { head: [], border: [] },
    chars: { ...noLinesBetweenRows },
  });
  table.push(...rows.map(cellsOf));
  return table.toString();
}

function cellsOf({ name, unit, bare, service, ratio }: SummaryRow): string[] {
  return [name, unit, numberText(bare), numberText(service), ratio === null ? '–' : ratio.toFixed(2)];
}

/** Three digits that count: more would say more than was measured. */
function numberText(value: number | null): string {
  if (value === null) {
    return '–';
  }
  const decimals = decimalsBelow.find(({ limit }) => value < limit)?.decimals ?? 0;
  return value.toLocaleString('en', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}
