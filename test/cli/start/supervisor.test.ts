import { spawn } from 'node:child_process';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import { expect } from 'chai';

import { roleMemory } from '../../../cli/start/roleMemory.js';

const program = fileURLToPath(new URL('superviseProgram.ts', import.meta.url));

/** What the environment of a role that is supervised says of its memory. */
async function memoryOfRole(environment: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const child = spawn(process.execPath, ['--import', 'tsx', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: environment,
  });
  const ofRole = JSON.parse(await text(child.stdout)) as Record<string, string>;
  return Object.fromEntries(Object.entries(ofRole).filter(([name]) => Object.hasOwn(roleMemory, name)));
}

describe('the supervisor', () => {
  it('starts a role that takes memory as roles do', async () => {
    expect(await memoryOfRole({})).to.deep.equal(roleMemory);
  });

  it('leaves allocation to whoever has set it', async () => {
    const set = { MALLOC_MMAP_THRESHOLD_: '65536' };
    expect(await memoryOfRole(set)).to.deep.equal({ ...roleMemory, ...set });
  });

  it('puts options for Node that are set behind its own, so that they count', async () => {
    const { NODE_OPTIONS } = await memoryOfRole({
      NODE_OPTIONS: '--max-semi-space-size=16 --no-deprecation',
    });
    expect(NODE_OPTIONS).to.equal(`${roleMemory.NODE_OPTIONS} --max-semi-space-size=16 --no-deprecation`);
  });
});
