import Table from 'cli-table3';

import type { JudgedBar } from './bars.js';
import type { ScenarioSummary, SummaryRow } from './summary.js';
import { barText, barValueText, ratioText, spreadText } from './text.js';

const noLinesBetweenRows = { mid: '', 'left-mid': '', 'mid-mid': '', 'right-mid': '' };

/** Bars of a scenario, held against what was measured. */
export interface JudgedScenario {
  readonly scenario: string;
  readonly bars: readonly JudgedBar[];
}

/** A table for each scenario, for a terminal. */
export function renderTables(summaries: readonly ScenarioSummary[]): string {
  return summaries.map(renderTable).join('\n\n');
}

/** What was to be reached and whether it was, for a terminal. */
export function renderBars(judged: readonly JudgedScenario[]): string {
  const rows = judged.flatMap(({ scenario, bars }) =>
    bars.map((bar) => [scenario, bar.figure, barValueText(bar), barText(bar), bar.verdict]),
  );
  return tableOf(['bars', '', 'is', 'should be', ''], ['left', 'left', 'right', 'right', 'left'], rows);
}

function renderTable({ scenario, rows }: ScenarioSummary): string {
  return tableOf(
    [scenario, '', 'bare', 'service', 'service / bare'],
    ['left', 'left', 'right', 'right', 'right'],
    rows.map(cellsOf),
  );
}

function tableOf(
  head: string[],
  colAligns: ('left' | 'right')[],
  rows: readonly (readonly string[])[],
): string {
  const table = new Table({
    head,
    colAligns,
    style: { head: [], border: [] },
    chars: { ...noLinesBetweenRows },
  });
  table.push(...rows.map((row) => [...row]));
  return table.toString();
}

function cellsOf({ name, unit, bare, service, ratio }: SummaryRow): string[] {
  return [name, unit, spreadText(bare), spreadText(service), ratioText(ratio)];
}
