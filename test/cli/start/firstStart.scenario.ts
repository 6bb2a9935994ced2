import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

import { expect } from 'chai';

import { withStores } from '../../../cli/environment/stores.js';
import { loadConfig } from '../../../shared/settings/config.js';
import { createClient } from '../../support/client.js';
import { closeAtEndOfFile } from '../../support/fileResources.js';
import { runProgram } from '../../support/program.js';
import { isolatedSettings, type Settings } from '../../support/settings.js';
import { startProgram, type StartedProgram } from '../../support/startCommand.js';

describe('postrider start', () => {
  let settings: Settings;
  before(async () => {
    settings = await isolatedSettings({ PORT: '0' });
  });

  const start = async (): Promise<StartedProgram> => {
    const started = await startProgram(settings);
    closeAtEndOfFile(async () => {
      await started.stop();
    });
    return started;
  };

  it('creates an account at its first start, and prints keys that work', async () => {
    const first = await start();
    const liveKey = /live key {3}(\S+)/.exec(first.text())?.[1] ?? '';
    const { status } = await createClient(first.address, liveKey).get('/v1/webhooks');
    expect([status, await first.stop()]).to.deep.equal([200, 0]);
  });

  it('prints the keys of an account that it has created, even if it fails', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    closeAtEndOfFile(() => {
      other.close();
    });
    const failing = await isolatedSettings({ PORT: String((other.address() as AddressInfo).port) });
    const { code, stdout } = await runProgram(failing, 'start');
    const ends = await withStores(loadConfig(failing), ({ offsets }) => offsets.ends('accounts'));
    const isCreated = ends.some((end) => end > 0);
    expect([code, stdout.includes('sk_live_')]).to.deep.equal([1, isCreated]);
  });

  it('names a command that gives access at later starts, because the keys may never have been printed', async () => {
    const later = await start();
    const command = /sign in {4}npx postrider (account sign-in-link \S+ \S+)/.exec(later.text())?.[1] ?? '';
    const { code, stdout, stderr } = await runProgram(settings, ...command.split(' '));
    expect(stdout).to.contain('/dashboard/link#');
    expect([code, stderr]).to.deep.equal([0, '']);
    expect(await later.stop()).to.equal(0);
  });
});
