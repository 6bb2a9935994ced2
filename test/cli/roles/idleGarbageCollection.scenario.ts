import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { expect } from 'chai';

import { createIsDue } from '../../../cli/roles/idleGarbageCollection.js';

const run = promisify(execFile);
const program = fileURLToPath(new URL('quietProgram.ts', import.meta.url));

/** Whether a collection is due after each second, given the CPU time of each second in milliseconds. */
function answersTo(...usedInEach: readonly number[]): readonly boolean[] {
  const isDue = createIsDue(1000);
  let used = 0;
  return usedInEach.map((more) => {
    used += more;
    return isDue(used);
  });
}

describe('the garbage collection of an idle process', () => {
  it('waits until the process is idle', () => {
    expect(answersTo(900, 900, 900, 60, 10)).to.deep.equal([false, false, false, false, true]);
  });

  it('runs once after each load', () => {
    expect(answersTo(3000, 10, 10, 3000, 10, 10)).to.deep.equal([false, true, false, false, true, false]);
  });

  it('does not run for the small garbage of a start', () => {
    expect(answersTo(1500, 10, 10)).to.deep.equal([false, false, false]);
  });

  it('does not run if the process always has a little work', () => {
    expect(new Set(answersTo(...Array.from({ length: 200 }, () => 40)))).to.deep.equal(new Set([false]));
  });

  it('returns memory to the operating system, and the process continues', async () => {
    const { stdout } = await run(process.execPath, ['--import', 'tsx', program], {
      timeout: 20_000,
      killSignal: 'SIGKILL',
    });
    const { loaded, quiet } = JSON.parse(stdout) as { readonly loaded: number; readonly quiet: number };
    expect(quiet / loaded).to.be.lessThan(0.5);
  });
});
