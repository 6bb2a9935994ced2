import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import process from 'node:process';

import { expect } from 'chai';

import { holdName } from '../../../../cli/developer/listen/onlyRun.js';
import { closeAtEndOfFile } from '../../../support/fileResources.js';

/** A process that holds a name. */
async function startHolder(name: string, platform: NodeJS.Platform) {
  const code = `
    const { holdName } = await import('./cli/developer/listen/onlyRun.ts');
    const release = await holdName(${JSON.stringify(name)}, '${platform}');
    setInterval(() => undefined, 1000);
    console.log(release === null ? 'taken' : 'held');`;
  const holder = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  closeAtEndOfFile(() => holder.kill('SIGKILL'));
  const [printed] = (await once(holder.stdout, 'data')) as [Buffer];
  expect(printed.toString().trim()).to.equal('held');
  return holder;
}

describe('the name that a run of listen holds', () => {
  // macOS has neither abstract sockets nor pipes with names, but its socket files work on Linux too.
  for (const platform of ['linux', 'darwin'] as const) {
    it(`is held by one process, also by a suspended one, until its end: ${platform}`, async () => {
      const name = randomUUID();
      const holder = await startHolder(name, platform);
      holder.kill('SIGSTOP');
      expect(await holdName(name, platform)).to.equal(null);

      const ended = once(holder, 'exit');
      holder.kill('SIGKILL');
      await ended;
      const release = await holdName(name, platform);
      expect([release === null, await holdName(name, platform)]).to.deep.equal([false, null]);

      release?.();
      const again = await holdName(name, platform);
      expect(again).not.to.equal(null);
      again?.();
    });
  }
});
