import { isDeepStrictEqual } from 'node:util';

import type { Machine, Report } from './result.js';

/**
 * One report of several, which may have been made on different days: of a scenario that stands in more than one, the last counts.
 * @throws Error where they are of different machines or servers: what was measured on one is no figure of the other
 */
export function mergeReports(reports: readonly [Report, ...Report[]]): Report {
  const [first, ...others] = reports;
  if (others.some(({ machine }) => !isSame(machine, first.machine))) {
    throw new Error('The reports are of different machines or servers: they do not go on one page.');
  }
  const lastWith = new Map(reports.flatMap((report) => scenariosOf(report).map((name) => [name, report])));
  const counting = <Item extends { readonly scenario: string }>(report: Report, items: readonly Item[]) =>
    items.filter(({ scenario }) => lastWith.get(scenario) === report);
  return {
    startedAt: reports.map(({ startedAt }) => startedAt).sort()[0] ?? first.startedAt,
    quick: reports.some(({ quick }) => quick),
    machine: first.machine,
    results: reports.flatMap((report) => counting(report, report.results)),
    failures: reports.flatMap((report) => counting(report, report.failures)),
  };
}

/** But for some pages of memory, which differ from one start of a system to the next. */
function isSame(machine: Machine, other: Machine): boolean {
  const rounded = ({ memoryBytes, ...rest }: Machine) => ({
    ...rest,
    gibibytes: Math.round(memoryBytes / 2 ** 30),
  });
  return isDeepStrictEqual(rounded(machine), rounded(other));
}

function scenariosOf({ results, failures }: Report): readonly string[] {
  return [...new Set([...results, ...failures].map(({ scenario }) => scenario))];
}
