import { readFile, writeFile } from 'node:fs/promises';

import { format, resolveConfig } from 'prettier';

import type { Report } from './report.js';
import type { ScenarioRows } from './rows.js';
import { runTable } from './table.js';

/** Paths from the root of the checkout. */
export const docs = {
  results: 'docs/benchmarks/results.json',
  page: 'docs/benchmarks/README.md',
} as const;

const begin = '<!-- Written by `npm run bench -- --docs`. -->';
const end = '<!-- The end of what the benchmark has written. -->';

/** Writes a report to the documentation: the JSON and its table. */
export async function writeDocs(report: Report, scenarios: readonly ScenarioRows[]): Promise<void> {
  await writeReport(docs.results, report);
  await replaceIn(docs.page, pageTable(report, scenarios));
}

/** The table of the page: the figures that have a target. The JSON and the terminal have all of them. */
export function pageTable(report: Report, scenarios: readonly ScenarioRows[]): string {
  const withTargets = ({ name, rows }: ScenarioRows) => ({
    name,
    rows: rows.filter(({ targets = [] }) => targets.length > 0),
  });
  return runTable(report, scenarios.map(withTargets));
}

/** The table of a run for the terminal: Markdown with aligned columns. */
export async function formatTable(report: Report, scenarios: readonly ScenarioRows[]): Promise<string> {
  return format(runTable(report, scenarios), { parser: 'markdown' });
}

/** Formats the JSON as the checks of this repository require. */
export async function writeReport(file: string, report: Report): Promise<void> {
  await writeFile(file, await formatted(file, JSON.stringify(report)));
}

async function replaceIn(file: string, content: string): Promise<void> {
  await writeFile(file, await formatted(file, withContent(await readFile(file, 'utf8'), content)));
}

/**
 * The text of a page with other content between the two comments.
 * @throws Error if the page lacks a comment
 */
export function withContent(page: string, content: string): string {
  const [before, rest] = page.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) {
    throw new Error(`The page needs the comments ${begin} and ${end}`);
  }
  return `${before}${begin}\n\n${content}\n\n${end}${after}`;
}

async function formatted(file: string, text: string): Promise<string> {
  return format(text, { ...(await resolveConfig(file)), filepath: file });
}
