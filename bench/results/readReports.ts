import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';

import { messageOf } from '../../shared/core/errors.js';
import { reportSchema, type Machine, type Report } from './result.js';

/** @throws Error that names the file which is no report of the benchmark, or says that the reports are of different machines */
export async function readReports(files: readonly string[]): Promise<Report> {
  const [first, ...others] = await Promise.all(files.map(readReport));
  if (first === undefined) {
    throw new Error('Name at least one file with results.');
  }
  return mergeReports([first, ...others]);
}

async function readReport(file: string): Promise<Report> {
  try {
    return reportSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    throw new Error(`${file} is no report of this benchmark: ${messageOf(error)}`, { cause: error });
  }
}

/**
 * Merges reports, which may be of different days. If several contain a scenario, the last one counts.
 * @throws Error if they are of different machines, servers or references: such figures cannot be compared
 */
function mergeReports(reports: readonly [Report, ...Report[]]): Report {
  const [first, ...others] = reports;
  if (others.some(({ machine }) => !isSame(machine, first.machine))) {
    throw new Error('The reports are of different machines or servers. One page cannot show both.');
  }
  if (others.some(({ against }) => against !== first.against)) {
    throw new Error('The reports have different references. One page cannot show both.');
  }
  const lastWith = new Map(reports.flatMap((report) => scenariosOf(report).map((name) => [name, report])));
  const counting = <Item extends { readonly scenario: string }>(report: Report, items: readonly Item[]) =>
    items.filter(({ scenario }) => lastWith.get(scenario) === report);
  return {
    startedAt: reports.map(({ startedAt }) => startedAt).sort()[0] ?? first.startedAt,
    quick: reports.some(({ quick }) => quick),
    against: first.against,
    machine: first.machine,
    results: reports.flatMap((report) => counting(report, report.results)),
    failures: reports.flatMap((report) => counting(report, report.failures)),
  };
}

/** The memory may differ by some pages between two starts of a system. */
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
