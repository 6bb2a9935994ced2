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

describe('the supervisor', () => {
  it('starts a role with the memory settings of roles, next to the operator’s, and with the command’s options', async () => {
    const options = ['--heap-growing-percent=50'];
    const set = {
      MALLOC_MMAP_THRESHOLD_: '65536',
      NODE_OPTIONS: '--max-semi-space-size=16 --no-deprecation',
    };
    const role = await startOfRole({ environment: set, options });
    expect(role.options).to.deep.equal([...options, '--import', 'tsx']);
    expect(role.environment).to.include({
      ...roleMemory,
      ...set,
      NODE_OPTIONS: `${roleMemory.NODE_OPTIONS} ${set.NODE_OPTIONS}`,
    });
  });

  it('starts the process of all roles with the memory settings of small installations', () => {
    expect(withRoleMemory('all', {})).to.deep.equal(allRolesMemory);
  });
});
