import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { format, resolveConfig } from 'prettier';

import { messageOf } from '../../shared/core/errors.js';
import type { Scenario } from '../scenarios/scenario.js';
import { mergeReports } from './merge.js';
import { renderPage } from './page/page.js';
import { reportSchema, type Report } from './result.js';

const pageFile = 'README.md';
const resultsFile = 'results.json';

/** @throws Error that names the file which is no report of the benchmark, or that is of another machine */
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

/** Writes the page, its plots and the report that all of it follows from; plots of an earlier one go. */
export async function writePage(
  directory: string,
  report: Report,
  scenarios: readonly Scenario[],
): Promise<void> {
  const { markdown, plots } = renderPage(report, scenarios);
  await mkdir(directory, { recursive: true });
  const old = (await readdir(directory)).filter((name) => name.endsWith('.svg'));
  await Promise.all(old.map((name) => rm(join(directory, name))));
  await Promise.all([
    writeFormatted(join(directory, pageFile), markdown),
    writeFormatted(join(directory, resultsFile), JSON.stringify(report)),
    ...plots.map(({ fileName, svg }) => writeFile(join(directory, fileName), svg)),
  ]);
}

/** As the checks of this repository want it. */
async function writeFormatted(file: string, text: string): Promise<void> {
  await writeFile(file, await format(text, { ...(await resolveConfig(file)), filepath: file }));
}
