import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { format, resolveConfig } from 'prettier';

import type { Report } from '../results/result.js';
import type { ScenarioDescription } from '../results/scenarioDescription.js';
import { renderPage } from './page.js';

const pageFile = 'README.md';
const resultsFile = 'results.json';

/** Writes the page, its charts and the report that they follow from. Deletes the charts of an earlier page. */
export async function writePage(
  directory: string,
  report: Report,
  scenarios: readonly ScenarioDescription[],
): Promise<void> {
  const { markdown, charts } = renderPage(report, scenarios);
  await mkdir(directory, { recursive: true });
  const old = (await readdir(directory)).filter((name) => name.endsWith('.svg'));
  await Promise.all(old.map((name) => rm(join(directory, name))));
  await Promise.all([
    writeFormatted(join(directory, pageFile), markdown),
    writeFormatted(join(directory, resultsFile), JSON.stringify(report)),
    ...charts.map(({ fileName, svg }) => writeFile(join(directory, fileName), svg)),
  ]);
}

/** Formats the text as the checks of this repository require. */
async function writeFormatted(file: string, text: string): Promise<void> {
  await writeFile(file, await format(text, { ...(await resolveConfig(file)), filepath: file }));
}
