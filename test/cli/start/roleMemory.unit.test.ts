import { execFile } from 'node:child_process';
import process from 'node:process';
import { promisify } from 'node:util';

import { expect } from 'chai';

import { allRolesMemory, roleMemory, roleOptions } from '../../../cli/start/roleMemory.js';

/** The names of all V8 options in this version of Node. */
async function optionsOfV8(): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--v8-options']);
  return [...stdout.matchAll(/^ {2}(--[a-z0-9-]+) \(/gm)].map(([, option]) => option ?? '');
}

describe('the memory of a role', () => {
  it(`is set by options that Node ${process.versions.node} has`, async () => {
    const set = [...roleOptions, roleMemory.NODE_OPTIONS, allRolesMemory.NODE_OPTIONS].map(
      (option) => option.split('=')[0],
    );

    expect(await optionsOfV8()).to.include.members(set);
  });

  it('is set without a warning or an error of Node', async () => {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [...roleOptions, '--print', '1'], {
      env: { ...process.env, ...roleMemory },
    });

    expect([stdout, stderr]).to.deep.equal(['1\n', '']);
  });
});
