import { spawn } from 'node:child_process';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import { expect } from 'chai';
import { z } from 'zod';

import { allRolesMemory, roleMemory, withRoleMemory } from '../../../cli/start/roleMemory.js';

const program = fileURLToPath(new URL('superviseProgram.ts', import.meta.url));

const startSchema = z.object({ environment: z.record(z.string(), z.string()), options: z.array(z.string()) });

/** The environment and the options of a role that the supervisor has started. */
async function startOfRole({ environment = {}, options = [] }: Partial<z.infer<typeof startSchema>>) {
  const child = spawn(process.execPath, [...options, '--import', 'tsx', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: environment,
  });
  return startSchema.parse(JSON.parse(await text(child.stdout)));
}

/** The variables for memory in the environment of a supervised role. */
async function memoryOfRole(environment: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const ofRole = (await startOfRole({ environment })).environment;
  return Object.fromEntries(Object.entries(ofRole).filter(([name]) => Object.hasOwn(roleMemory, name)));
}

describe('the supervisor', () => {
  it('starts a role with the memory settings of roles', async () => {
    expect(await memoryOfRole({})).to.deep.equal(roleMemory);
  });

  it('starts the process of all roles with the memory settings of small installations', () => {
    expect(withRoleMemory('all', {})).to.deep.equal(allRolesMemory);
  });

  it('keeps the operator’s settings of the memory allocator', async () => {
    const set = { MALLOC_MMAP_THRESHOLD_: '65536' };
    expect(await memoryOfRole(set)).to.deep.equal({ ...roleMemory, ...set });
  });

  it('appends the operator’s Node options to its own, so that they take effect', async () => {
    const { NODE_OPTIONS } = await memoryOfRole({
      NODE_OPTIONS: '--max-semi-space-size=16 --no-deprecation',
    });
    expect(NODE_OPTIONS).to.equal(`${roleMemory.NODE_OPTIONS} --max-semi-space-size=16 --no-deprecation`);
  });

  it('passes the options of the starting command to the role, so that they take effect', async () => {
    const options = ['--heap-growing-percent=50'];
    expect((await startOfRole({ options })).options).to.deep.equal([...options, '--import', 'tsx']);
  });
});
