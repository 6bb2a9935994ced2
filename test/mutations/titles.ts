import { execFile } from 'node:child_process';
import { relative } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';

export interface Titled {
  readonly file: string;
  /** With the titles of what is around it: what mocha's `--grep` looks at. */
  readonly fullTitle: string;
}

interface Report {
  readonly tests: readonly Titled[];
}

/** What a report of all tests may come to, in bytes. */
const largestReport = 64 * 1024 * 1024;

/** The tests in these files. Mocha is asked, in a process of its own, and runs none of them: many titles are composed. */
export async function testsIn(files: readonly string[]): Promise<readonly Titled[]> {
  const mocha = ['node_modules/mocha/bin/mocha.js', '--no-config', '--dry-run', '--reporter', 'json'];
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', ...mocha, ...files], {
    maxBuffer: largestReport,
  });
  const { tests } = JSON.parse(stdout) as Report;
  return tests.map(({ file, fullTitle }) => ({ file: relative('.', file), fullTitle }));
}
