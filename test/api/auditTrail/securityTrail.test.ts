import { randomBytes } from 'node:crypto';

import { expect } from 'chai';

import { startApi } from '../../../api/main.js';
import { auditLogSchema } from '../../../api/resources/audit/routes.js';
import { createLogger } from '../../../shared/core/logger.js';
import type { RunningRole } from '../../../shared/runtime/role.js';
import { eventually } from '../../support/eventually.js';
import { addApiKey, openAccount, suspendAccount, type TestAccount } from '../support/accounts.js';
import { startAnotherApi } from '../support/anotherApi.js';
import { call, createClient, read, type Client } from '../support/client.js';
import { postEvent } from '../support/events.js';
import { fromNewAddress, openOwner, openUser, password, postOpen } from '../support/signedInUsers.js';
import { createWebhook } from '../support/webhooks.js';

const userAgent = 'Test browser 1.0';
const withinMs = 30_000;

function from(network: string): Readonly<Record<string, string>> {
  return { 'x-forwarded-for': network, 'user-agent': userAgent };
}

function somewhere(): string {
  return fromNewAddress()['x-forwarded-for'] ?? '';
}

async function actionsOf(client: Client, action: string) {
  const { data } = read(await client.get('/v1/audit-log?limit=100'), auditLogSchema);
  return data.filter((entry) => entry.action === action);
}

/** The entries of an action, once there are at least this number. */
function entriesOf(client: Client, action: string, count: number) {
  return eventually(
    `${count} entries ${action}`,
    async () => {
      const entries = await actionsOf(client, action);
      return entries.length >= count ? entries : null;
    },
    withinMs,
  );
}

describe('the audit log of an account', () => {
  let account: TestAccount;
  let address: string;
  before(async () => {
    account = await openAccount();
    ({ address } = account.service);
  });

  it('contains sign-ins and sign-outs, with their method, network and user agent', async () => {
    const owner = await openOwner(account);
    const network = somewhere();
    const body = { email: owner.email, password, accountId: account.id };
    await postOpen(address, '/v1/session', body, from(network));
    const [newest, oldest] = await entriesOf(account.live, 'user.signed_in', 2);
    expect([newest, oldest].map((entry) => [entry?.changes['method']?.to, entry?.resource])).to.deep.equal([
      ['password', { type: 'user', id: owner.id }],
      ['link', { type: 'user', id: owner.id }],
    ]);
    expect([newest?.client, newest?.actor]).to.deep.equal([
      { network, userAgent },
      { type: 'user', id: owner.id, name: null },
    ]);
    await owner.send('DELETE', '/v1/session', { headers: from('192.0.2.7') });
    const [signOut] = await entriesOf(account.live, 'user.signed_out', 1);
    expect([signOut?.resource.id, signOut?.client]).to.deep.equal([
      owner.id,
      { network: '192.0.2.7', userAgent },
    ]);
  });

  it('contains failed sign-ins once an hour for each network, in each account that has a user with the email address', async () => {
    const accounts = [await openAccount(account.service), await openAccount(account.service)];
    const email = `both-${String(Date.now())}@example.com`;
    for (const each of accounts) {
      await openUser(each, await openOwner(each), 'viewer', email);
    }
    const networks = [somewhere(), somewhere()];
    for (const network of [networks[0], networks[0], networks[1]]) {
      await postOpen(address, '/v1/session', { email, password: 'a wrong password' }, from(network ?? ''));
    }
    for (const { live } of accounts) {
      const entries = await entriesOf(live, 'user.sign_in_failed', 2);
      expect(entries.map(({ client }) => client?.network).toSorted()).to.deep.equal(networks.toSorted());
      expect([entries[0]?.actor, entries[0]?.changes]).to.deep.equal([
        { type: 'system', id: null, name: 'unknown client' },
        { method: { from: null, to: 'password' }, reason: { from: null, to: 'wrong_password' } },
      ]);
    }
  });

  it('contains the sign-ins that a suspension rejects', async () => {
    const other = await openAccount(account.service);
    const { email } = await openOwner(other);
    await suspendAccount(other);
    await postOpen(address, '/v1/session', { email, password, accountId: other.id });
    await call(address, '/v1/webhooks', { headers: { authorization: `Bearer ${other.liveKey}` } });
    const reasons = await eventually(
      'both entries',
      () =>
        account.service.withStores(async ({ models }) => {
          const found = await models.audit.findPage({
            ranges: [{ filter: { accountId: other.id }, sort: { created: -1, _id: -1 } }],
            limit: 20,
            index: { accountId: 1, created: -1, _id: -1 },
          });
          const rejected = found.filter(({ action }) => /rejected|failed/.test(action));
          return rejected.length >= 2 ? rejected.map(({ action }) => action).toSorted() : null;
        }),
      withinMs,
    );
    expect(reasons).to.deep.equal(['api_key.rejected', 'user.sign_in_failed']);
  });

  it('contains the first use of a key once, also if several processes are used', async () => {
    const another = await startAnotherApi(account.service);
    const key = await addApiKey(account, { mode: 'live' });
    const clients = [address, another.address].map((each) => createClient(each, key.secret));
    await Promise.all(clients.flatMap((client) => [client.get('/v1/webhooks'), client.get('/v1/webhooks')]));
    const isOfKey = ({ resource }: { resource: { id: string } }) => resource.id === key.id;
    await eventually(
      'the entry',
      async () => (await actionsOf(account.live, 'api_key.first_used')).find(isOfKey) ?? null,
      withinMs,
    );
    // A later action of the same account is behind all earlier ones in its partition.
    await account.live.patchJson('/v1/account', { portal: { name: 'Later' } });
    await entriesOf(account.live, 'account.settings_changed', 1);
    const entries = (await actionsOf(account.live, 'api_key.first_used')).filter(isOfKey);
    expect(entries.map(({ actor }) => [actor.type, actor.id, actor.name])).to.deep.equal([
      ['api_key', key.id, 'added'],
    ]);
  });

  it('contains rejected uses of a key once an hour for each network and reason', async () => {
    const expired = await addApiKey(account, { mode: 'live', expiresAt: new Date(Date.now() - 1000) });
    const scoped = await addApiKey(account, { mode: 'live', scopes: ['events:read'] });
    const use = (secret: string, network: string) =>
      call(address, '/v1/webhooks', { headers: { authorization: `Bearer ${secret}`, ...from(network) } });
    for (const network of ['192.0.2.1', '192.0.2.1', '192.0.2.2']) {
      await use(expired.secret, network);
    }
    await use(scoped.secret, '192.0.2.3');
    const entries = await entriesOf(account.live, 'api_key.rejected', 3);
    expect(
      entries.map(({ resource, changes, client }) => [resource.id, changes['reason']?.to, client?.network]),
    ).to.deep.equal([
      [scoped.id, 'insufficient_scope', '192.0.2.3'],
      [expired.id, 'api_key_expired', '192.0.2.2'],
      [expired.id, 'api_key_expired', '192.0.2.1'],
    ]);
  });

  it('contains test deliveries, replays and resends once, with their webhook, event and filter', async () => {
    const other = await openAccount(account.service);
    const webhook = await createWebhook(other.live, { url: 'http://127.0.0.1:9/' });
    const { id } = await postEvent(other.live);
    const test = await other.live.postJson(`/v1/webhooks/${webhook.id}/test`, {});
    const { eventId } = JSON.parse(test.text) as { eventId: string };
    const since = new Date(Date.now() - 60_000).toISOString();
    const created = await other.live.postJson('/v1/replays', { webhookId: webhook.id, since, only: 'all' });
    const replay = JSON.parse(created.text) as { id: string; status: string };
    const headers = { 'idempotency-key': randomBytes(8).toString('hex') };
    const resend = () => other.live.postJson(`/v1/events/${id}/resend`, {}, headers);
    const statuses = [(await resend()).status, (await resend()).status];

    const [tested] = await entriesOf(other.live, 'webhook.tested', 1);
    const [requested] = await entriesOf(other.live, 'replay.requested', 1);
    const resent = await entriesOf(other.live, 'event.resent', 1);
    expect(tested).to.deep.include({
      resource: { type: 'webhook', id: webhook.id },
      changes: { eventId: { from: null, to: eventId }, type: { from: null, to: 'webhook.test' } },
    });
    expect(requested?.resource).to.deep.equal({ type: 'replay', id: replay.id });
    expect(requested?.changes).to.deep.include({
      webhookId: { from: null, to: webhook.id },
      since: { from: null, to: since },
    });
    expect([statuses, resent.map(({ resource, changes }) => [resource, changes])]).to.deep.equal([
      [202, 202],
      [[{ type: 'event', id }, { webhookIds: { from: null, to: [webhook.id] } }]],
    ]);
  });
});

describe('the security log', () => {
  let account: TestAccount;
  let api: RunningRole;
  const lines: string[] = [];
  before(async () => {
    account = await openAccount();
    const stream = {
      write: (line: string) => {
        lines.push(line);
      },
    };
    const logger = createLogger({ role: 'test', level: 'warn', isTerminal: false, stream });
    api = await startApi(account.service.config, logger, () => new Date());
  });
  after(() => api.stop());

  const linesOf = (event: string) =>
    lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ security }) => security === event);

  it('contains a sign-in with an unknown email address, without the address', async () => {
    const body = { email: 'nobody-at-all@example.com', password: 'a secret password' };
    await postOpen(api.address, '/v1/session', body, from('192.0.2.20'));
    const { network, userAgent: agent, method, reason } = linesOf('sign_in_failed')[0] ?? {};
    expect([network, agent, method, reason]).to.deep.equal([
      '192.0.2.20',
      userAgent,
      'password',
      'wrong_password',
    ]);
    expect(lines.filter((line) => /nobody-at-all|a secret password/.test(line))).to.deep.equal([]);
  });

  it('contains a sign-in with an unknown link, without its token', async () => {
    const token = randomBytes(32).toString('base64url');
    await postOpen(api.address, '/v1/session/link', { token, password }, from('192.0.2.21'));
    const line = linesOf('sign_in_failed').find(({ network }) => network === '192.0.2.21');
    expect([line?.['method'], line?.['reason'], lines.some((each) => each.includes(token))]).to.deep.equal([
      'link',
      'unknown_link',
      false,
    ]);
  });

  it('contains the use of an unknown key once a minute, without the key', async () => {
    const secret = `sk_live_${randomBytes(32).toString('base64url')}`;
    const headers = { authorization: `Bearer ${secret}`, ...from('192.0.2.22') };
    await call(api.address, '/v1/webhooks', { headers });
    await call(api.address, '/v1/webhooks', { headers });
    const found = linesOf('key_rejected').filter(({ network }) => network === '192.0.2.22');
    expect([
      found.map(({ reason }) => reason),
      lines.some((line) => line.includes(secret.slice(8))),
    ]).to.deep.equal([['api_key_invalid'], false]);
  });

  it('contains the attempts that the limit of a network rejects', async () => {
    const headers = from(somewhere());
    const guess = () => postOpen(api.address, '/v1/session/link', { token: 'x', password }, headers);
    const responses = await Promise.all(Array.from({ length: 52 }, guess));
    expect(responses.filter(({ status }) => status === 429).length).to.equal(2);
    expect(linesOf('sign_in_limited').map(({ network }) => network)).to.include(headers['x-forwarded-for']);
  });
});
