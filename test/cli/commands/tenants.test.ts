import { expect } from 'chai';

import type { ShownTenant, TenantList } from '../../../cli/tenants/accountTenants.js';
import { openAccount, type TestAccount } from '../../api/support/accounts.js';
import { createWebhook, webhookIdsOf } from '../../api/support/webhooks.js';
import { runCommand } from '../../support/program.js';
import { sharedService, type SharedService } from '../../support/service.js';

const unknown = 'acct_01HZZZZZZZZZZZZZZZZZZZZZZZ';

describe('postrider tenants', () => {
  let service: SharedService;
  let account: TestAccount;
  before(async () => {
    service = await sharedService();
    account = await openAccount(service);
    await put('acme', { name: 'Acme', metadata: { plan: 'gold' } });
    await put('hostile', { name: 'Red\u001B[31m' });
    await account.test.put('/v1/tenants/trial', '{}');
    await createWebhook(account.live, { tenantId: 'acme' });
  });

  const put = (id: string, fields: object = {}) =>
    account.live.put(`/v1/tenants/${id}`, JSON.stringify(fields));

  const tenants = (...programArguments: readonly string[]) =>
    runCommand(service.settings, 'tenants', ...programArguments);

  const listed = async (...options: readonly string[]): Promise<TenantList> =>
    JSON.parse((await tenants('list', account.id, '--json', ...options)).stdout) as TenantList;

  it('list shows the newest tenant first, and no control characters of names', async () => {
    const { code, stdout } = await tenants('list', account.id);
    const rows = stdout.split('\n').map((line) => line.replaceAll(/ +\S+Z +/g, ' '));
    expect([code, rows.slice(1)]).to.deep.equal([0, ['hostile Red?[31m', 'acme Acme', '']]);
  });

  it('list says that there are more tenants than its limit', async () => {
    const { stdout } = await tenants('list', account.id, '--limit', '1');
    const { data, hasMore } = await listed('--limit', '1');
    expect([stdout.split('\n')[2], data.length, hasMore]).to.deep.equal([
      'The 1 newest. Raise --limit to see more tenants.',
      1,
      true,
    ]);
  });

  it('list shows the tenants of one mode', async () => {
    const { data, hasMore } = await listed('--mode', 'test');
    const [{ created, ...tenant } = { created: '' }] = data;
    expect([data.length, hasMore, Date.parse(created) > 0, tenant]).to.deep.equal([
      1,
      false,
      true,
      { id: 'trial', name: null, metadata: {}, mode: 'test' },
    ]);
  });

  it('show prints the fields of a tenant, and the number of its webhooks', async () => {
    const { stdout } = await tenants('show', account.id, 'acme');
    const shown = JSON.parse((await tenants('show', account.id, 'acme', '--json')).stdout) as ShownTenant;
    expect(stdout.split('\n')).to.deep.equal([
      'Tenant       acme',
      'Name         Acme',
      'Mode         live',
      `Created      ${shown.created}`,
      'Metadata     plan: gold',
      'Webhooks     1 active, 0 disabled',
      `Life id      ${shown.lifeId}`,
      `Events from  ${shown.eventsFrom.map((offset, partition) => `${partition}/${offset}`).join(', ')}`,
      '',
    ]);
    expect(shown.metadata).to.deep.equal({ plan: 'gold' });
  });

  it('delete requires confirmation, and deletes nothing in a non-interactive shell', async () => {
    const outcome = await tenants('delete', account.id, 'acme');
    const { status } = await account.live.get('/v1/tenants/acme');
    expect([outcome, status]).to.deep.equal([
      {
        code: 1,
        stdout: '',
        stderr: 'postrider: Deletion requires confirmation. In a non-interactive shell, pass --yes.\n',
      },
      200,
    ]);
  });

  it('delete deletes a tenant with its webhooks, and a repetition changes nothing', async () => {
    await put('gone');
    const { id } = await createWebhook(account.live, { tenantId: 'gone' });
    const first = await tenants('delete', account.id, 'gone', '--yes');
    const second = await tenants('delete', account.id, 'gone', '--yes');
    const statuses = await Promise.all(
      ['/v1/tenants/gone', `/v1/webhooks/${id}`].map(async (path) => (await account.live.get(path)).status),
    );
    expect([first, second.code, second.stdout, statuses]).to.deep.equal([
      { code: 0, stdout: 'gone is deleted.\n', stderr: '' },
      0,
      'gone was already deleted. No webhook of the tenant remains.\n',
      [404, 404],
    ]);
  });

  it('delete deletes the tenant of one mode alone', async () => {
    await put('twin');
    await account.test.put('/v1/tenants/twin', '{}');
    await createWebhook(account.test, { tenantId: 'twin' });
    await tenants('delete', account.id, 'twin', '--yes');
    const [live, test] = await Promise.all(
      [account.live, account.test].map((client) => client.get('/v1/tenants/twin')),
    );
    const left = await webhookIdsOf(account.test, '?tenantId=twin');
    expect([live?.status, test?.status, left.length]).to.deep.equal([404, 200, 1]);
  });

  it('fails with exit code 1 and one line for an unknown account', async () => {
    for (const words of [
      ['list', unknown],
      ['show', 'acct_1', 'acme'],
      ['delete', unknown, 'acme', '--yes'],
    ]) {
      expect(await tenants(...words), words.join(' ')).to.deep.equal({
        code: 1,
        stdout: '',
        stderr: `postrider: Account ${words[1] ?? ''} does not exist. \`postrider account list\` lists all accounts.\n`,
      });
    }
  });

  it('fails with exit code 1 and one line for an unknown tenant', async () => {
    for (const [verb, id, mode, ...options] of [
      ['show', 'nobody', 'live'],
      ['show', 'null', 'live'],
      ['show', 'acme', 'test', '--mode', 'test'],
      ['delete', 'nobody', 'live', '--yes'],
    ] as const) {
      expect(await tenants(verb, account.id, id, ...options), `${verb} ${id}`).to.deep.equal({
        code: 1,
        stdout: '',
        stderr:
          `postrider: Tenant ${id} does not exist in ${mode} mode of ${account.id}. ` +
          `\`postrider tenants list ${account.id} --mode ${mode}\` lists the tenants.\n`,
      });
    }
  });

  it('fails with exit code 2 for invalid arguments', async () => {
    for (const wrong of [
      ['list'],
      ['show', unknown],
      ['delete', unknown],
      ['list', unknown, '--mode', 'both'],
    ]) {
      const { code, stdout, stderr } = await tenants(...wrong);
      expect([code, stdout, stderr.slice(0, 7)], wrong.join(' ')).to.deep.equal([2, '', 'error: ']);
    }
  });
});
