import Table from 'cli-table3';

import type { JudgedTarget } from './targets.js';
import type { ScenarioSummary, SummaryRow } from './summary.js';
import { estimateText, ratioText, targetText, targetValueText } from './text.js';

const noLinesBetweenRows = { mid: '', 'left-mid': '', 'mid-mid': '', 'right-mid': '' };

/** The targets of a scenario, compared with its results. */
export interface JudgedScenario {
  readonly scenario: string;
  readonly targets: readonly JudgedTarget[];
}

/** A table for each scenario, for a terminal. */
export function renderTables(summaries: readonly ScenarioSummary[], reference: 'bare' | 'earlier'): string {
  return summaries.map((summary) => renderTable(summary, reference)).join('\n\n');
}

/** The targets and whether they are met, for a terminal. */
export function renderTargets(judged: readonly JudgedScenario[]): string {
  const rows = judged.flatMap(({ scenario, targets }) =>
    targets.map((target) => [
      scenario,
      target.figure,
      targetValueText(target),
      targetText(target),
      target.verdict,
    ]),
  );
  return tableOf(['targets', '', 'is', 'should be', ''], ['left', 'left', 'right', 'right', 'left'], rows);
}

function renderTable({ scenario, rows }: ScenarioSummary, reference: string): string {
  return tableOf(
    [scenario, '', reference, 'service', `service / ${reference}`],
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

function cellsOf({ name, unit, reference, service, ratio }: SummaryRow): string[] {
  return [name, unit, estimateText(reference), estimateText(service), ratioText(ratio)];
}
