/**
 * Checks the prose of the project against docs/writing.md: documents, comments, messages, texts of the dashboard and titles of
 * tests.
 * ```sh
 * npm run check:prose                            # everything
 * npm run check:prose -- consumers/ docs/api.md  # these paths alone
 * npm run check:prose -- --count                 # only the number of findings, by rule and by folder
 * ```
 */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import process from 'node:process';
import { parseArgs, promisify } from 'node:util';

import { checkProse, type Finding } from './check.js';
import { sourcesIn } from './sources.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { count: { type: 'boolean', default: false } },
});

const { stdout: vale } = await promisify(execFile)(resolve(import.meta.dirname, 'vale'));
const paths = await sourcesIn(positionals);
const sources = await Promise.all(paths.map(async (path) => ({ path, text: await readFile(path, 'utf8') })));
const findings = await checkProse(sources, vale.trim());
process.stdout.write(values.count ? countsOf(findings) : listOf(findings));
process.stdout.write(`${findings.length} findings in ${sources.length} files\n`);
process.exitCode = findings.length === 0 ? 0 : 1;

function listOf(found: readonly Finding[]): string {
  return found
    .map(({ path, line, kind, rule, message, excerpt }) => {
      return `${path}:${line}: ${message} [${rule}, ${kind}]\n    ${excerpt}\n`;
    })
    .join('');
}

function countsOf(found: readonly Finding[]): string {
  const columns = [
    ({ rule }: Finding) => rule,
    ({ kind }: Finding) => kind,
    ({ path }: Finding) => (path.includes('/') ? path.replace(/\/.*/u, '/') : path),
  ];
  return columns.map((keyOf) => `${tableOf(found.map(keyOf))}\n`).join('');
}

/** How often each key is there, the most frequent first. */
function tableOf(keys: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const key of keys) {
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return Array.from(counts)
    .sort(([, one], [, other]) => other - one)
    .map(([key, count]) => `${String(count).padStart(6)}  ${key}\n`)
    .join('');
}
