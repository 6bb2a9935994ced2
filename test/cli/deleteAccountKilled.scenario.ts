import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import process from 'node:process';

import { expect } from 'chai';

import { waitUntilErased } from '../../cli/accounts/deleteAccount.js';
import { openAccount, type TestAccount } from '../api/support/accounts.js';
import { openLogReader, type LogReader } from '../api/support/records.js';
import { createWebhook } from '../api/support/webhooks.js';
import { eventually } from '../support/eventually.js';
import { closeAtEndOfFile } from '../support/fileResources.js';
import { runProgram } from '../support/program.js';
import { startService, type TestService } from '../support/service.js';

describe('a deletion of an account that was killed half-way', () => {
  let service: TestService;
  let account: TestAccount;
  let webhookId: string;
  let log: LogReader;

  before(async () => {
    service = await startService();
    account = await openAccount(service);
    webhookId = (await createWebhook(account.live)).id;
    log = await openLogReader(service, ['webhooks']);
    // Without the delivery role no process deletes the webhooks, so the command waits.
    await service.stopRole('delivery');
    await killOnceDeleted();
  });

  const killOnceDeleted = async () => {
    const child = spawn(
      process.execPath,
      [resolve('dist/cli/main.js'), 'account', 'delete', account.id, '--yes'],
      { stdio: 'ignore', env: { ...process.env, ...service.settings } },
    );
    const ended = once(child, 'exit');
    closeAtEndOfFile(() => {
      child.kill('SIGKILL');
    });
    await eventually('keys that are rejected', async () =>
      (await account.live.get('/v1/webhooks')).status === 401 ? true : null,
    );
    child.kill('SIGKILL');
    await ended;
  };

  it('is not reported as complete while data is left that no process removes', async () => {
    const failure = await service
      .withStores((stores) => waitUntilErased(stores, account.id, () => undefined, 300))
      .catch(String);
    expect(failure).to.contain('postrider delivery');
  });

  it('is completed by the roles', async () => {
    await service.startRole('delivery');
    const last = await eventually('the deletion of its webhook', async () => {
      const types = (await log.recordsOf('webhooks', webhookId)).map(({ type }) => type);
      return types.length > 1 ? types.at(-1) : null;
    });
    expect(last).to.equal('postrider.webhook.deleted');
  });

  it('is reported as complete by the next command, which requires no confirmation', async () => {
    expect(await runProgram(service.settings, 'account', 'delete', account.id)).to.deep.equal({
      code: 0,
      stdout: `${account.id} was already deleted. The read models contain no data of the account.\n`,
      stderr: '',
    });
  });
});
