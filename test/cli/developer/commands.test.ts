import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';

import { openAccount, type TestAccount } from '../../api/support/accounts.js';
import { postEvent } from '../../api/support/events.js';
import { eventually } from '../../support/eventually.js';
import { closeAtEndOfFile } from '../../support/fileResources.js';
import { runCommand } from '../../support/program.js';
import { startReceiver } from '../../support/receiver.js';

describe('the commands for developers', () => {
  let account: TestAccount;
  let folder: string;

  before(async () => {
    account = await openAccount();
    folder = await mkdtemp(join(tmpdir(), 'postrider-commands-'));
    closeAtEndOfFile(() => rm(folder, { recursive: true }));
  });

  /** The output of a command with nothing but the login, or else its error. */
  const run = async (...words: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await runCommand({ XDG_CONFIG_HOME: folder }, ...words);
    return code === 0 ? stdout : `${code} ${stdout}${stderr}`;
  };

  it('use the key that login has checked and stored for this user alone', async () => {
    const url = ['--url', account.service.address];
    expect(await run('login', ...url, '--api-key', 'sk_live_wrong')).to.match(
      /^1 .*rejects the API key of --api-key/s,
    );
    expect(await run('login', ...url, '--api-key', account.liveKey)).to.contain('works');
    expect((await stat(join(folder, 'postrider', 'login.json'))).mode & 0o777).to.equal(0o600);
    expect(await run('events', 'list')).to.equal('No events.\n');
  });

  it('create, change, list, test and delete a webhook, and replay to it', async () => {
    const receiver = await startReceiver();
    const created = await run('webhooks', 'create', receiver.url, '--events', 'order.*', '--json');
    const { id, secret } = JSON.parse(created) as { id: string; secret: string };
    expect(secret).to.match(/^whsec_/);

    const changed = ['--events', 'order.*,invoice.paid', '--fields', '{"timeoutSeconds":20}', '--json'];
    expect(JSON.parse(await run('webhooks', 'update', id, ...changed))).to.deep.include({
      events: ['order.*', 'invoice.paid'],
      timeoutSeconds: 20,
    });
    expect(await run('webhooks', 'list')).to.match(
      new RegExp(`\n${id} +active +order\\.\\*,invoice\\.paid +http`),
    );

    const event = await postEvent(account.live);
    await receiver.received(1);
    await eventually('the delivery in the list', async () => {
      const list = await run('events', 'list', '--types', 'order.*', '--status', 'delivered');
      return list.includes(event.id) && list.includes('1 delivered') ? true : null;
    });
    expect(await run('events', 'show', event.id)).to.contain(id);
    expect(await run('webhooks', 'preview', id, event.id)).to.match(/would get this event.*"data":\{\}\}/s);
    await run('events', 'resend', event.id);
    await run('webhooks', 'test', id);
    await receiver.received(3);
    expect(await run('replays', 'create', '--since', '1h', '--only', 'all', '--dry-run')).to.contain(
      'matches 1 events',
    );

    expect(await run('webhooks', 'delete', id)).to.match(/^1 .*pass --yes/s);
    expect(await run('webhooks', 'delete', id, '--yes')).to.contain('is deleted');
    expect(await run('webhooks', 'list')).to.equal('No webhooks.\n');
  });

  it('doctor finds a receiver that does not verify signatures', async () => {
    const secret = (await run('listen', '--print-secret')).trim();
    const careless = await startReceiver();
    const careful = await startReceiver(({ body, headers }, response) => {
      try {
        new Webhook(secret).verify(body, headers as Record<string, string>);
        response.end();
      } catch {
        response.writeHead(400).end();
      }
    });
    expect(await run('doctor', '--forward-to', careful.url)).to.match(
      /address.*key.*clock.*stream.*receiver/s,
    );
    expect(await run('doctor', '--forward-to', careless.url)).to.match(
      /^1 .*wrong signature.*1 of 6 checks failed/s,
    );
    expect(await run('doctor', '--api-key', 'sk_live_wrong', '--json')).to.match(
      /"check": "key",\s+"status": "failed"/,
    );
  });
});
