import { spawn } from 'node:child_process';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import { expect } from 'chai';

import { fixedAllocation } from '../../../cli/start/fixedAllocation.js';

const program = fileURLToPath(new URL('superviseProgram.ts', import.meta.url));

/** What the environment of a role that is supervised says of allocation. */
async function allocationOfRole(
  environment: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const child = spawn(process.execPath, ['--import', 'tsx', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: environment,
  });
  const ofRole = JSON.parse(await text(child.stdout)) as Record<string, string>;
  return Object.fromEntries(Object.entries(ofRole).filter(([name]) => name.startsWith('MALLOC_')));
}

describe('the supervisor', () => {
  it('starts a role that gives large pieces of memory back at once', async () => {
    expect(await allocationOfRole({})).to.deep.equal(fixedAllocation);
  });

  it('leaves that to whoever has set it', async () => {
    const set = { MALLOC_MMAP_THRESHOLD_: '65536' };
    expect(await allocationOfRole(set)).to.deep.equal({ ...fixedAllocation, ...set });
  });
});
