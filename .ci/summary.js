import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

/**
 * Prints each failed test of mocha's reports in a folder, and how many tests passed and failed. A step that failed without a failed
 * test counts as one.
 */
const [, , folder = '', status = '0', step = ''] = process.argv;

const reports = listReports().map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')));
for (const { fullTitle, file, err } of reports.flatMap(({ failures }) => failures)) {
  const message = String(err.message).replaceAll('\n', '\n  ');
  process.stdout.write(`failed test: ${fullTitle}\n  ${file}\n  ${message}\n`);
}
if (status !== '0') {
  process.stdout.write(`failed: ${step}\n`);
}
const sum = (name) => reports.reduce((total, { stats }) => total + stats[name], 0);
const failed = Math.max(sum('failures'), status === '0' ? 0 : 1);
process.stdout.write(`${sum('passes')} passed, ${failed} failed\n`);

function listReports() {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.json'));
  } catch {
    return [];
  }
}
