import { userInfo } from 'node:os';

import { expect } from 'chai';

import { isApiError } from '../../../../api/http/apiError.js';
import { createAuditList } from '../../../../api/resources/audit/handlers.js';
import { auditLogSchema } from '../../../../api/resources/audit/routes.js';
import { resume, setPlan, suspend } from '../../../../cli/accounts/changeAccount.js';
import { eventually } from '../../../support/eventually.js';
import { openAccount, type TestAccount } from '../../support/accounts.js';
import { createApiKey } from '../../support/apiKeys.js';
import { read, refusalOf, type Client } from '../../support/client.js';
import { createWebhook } from '../../support/webhooks.js';

describe('GET /v1/audit-log', () => {
  let account: TestAccount;
  let webhookId: string;
  let testWebhookId: string;
  let testKey: Awaited<ReturnType<typeof createApiKey>>;
  before(async () => {
    account = await openAccount();
    webhookId = (await createWebhook(account.live, { description: 'Shop' })).id;
    testWebhookId = (await createWebhook(account.test)).id;
    testKey = await createApiKey(account.live, { mode: 'test', name: 'Tests' });
    await account.live.delete(`/v1/api-keys/${testKey.id}`);
    await account.live.delete(`/v1/webhooks/${webhookId}`);
    await account.service.withStores(async (stores) => {
      await setPlan(stores, account.id, 'enterprise', 90_000);
      await suspend(stores, account.id);
      await resume(stores, account.id);
    });
    await eventually('the account’s keys work again', async () =>
      (await account.live.get('/v1/events')).status === 200 ? true : null,
    );
  });

  const logOf = async (client: Client, query = '') =>
    read(await client.get(`/v1/audit-log${query}`), auditLogSchema);

  /** Changes alone: each test also uses keys, for the first time and while the account is suspended. */
  const changesOf = async (client: Client) =>
    (await logOf(client)).data.filter(({ action }) => !/^api_key\.(first_used|rejected)$/.test(action));

  const entriesOf = (client: Client, count: number) =>
    eventually(`${count} entries`, async () => {
      const changes = await changesOf(client);
      return changes.length >= count ? changes : null;
    });

  it('shows a live key every change, newest first', async () => {
    const entries = await entriesOf(account.live, 12);
    expect(entries.map(({ action, resource }) => `${action} ${resource.id}`).slice(0, 8)).to.deep.equal([
      `account.resumed ${account.id}`,
      `account.suspended ${account.id}`,
      `account.plan_changed ${account.id}`,
      `webhook.deleted ${webhookId}`,
      `api_key.deleted ${testKey.id}`,
      `api_key.created ${testKey.id}`,
      `webhook.created ${testWebhookId}`,
      `webhook.created ${webhookId}`,
    ]);
  });

  it('shows the creation of the account', async () => {
    const entries = await entriesOf(account.live, 11);
    expect(entries.slice(8).map(({ action }) => action)).to.have.members([
      'account.created',
      'api_key.created',
      'api_key.created',
      'user.invited',
    ]);
  });

  it('shows a test key the changes of test webhooks and test keys alone', async () => {
    const entries = await entriesOf(account.test, 4);
    expect(entries.map(({ action, resource }) => [action, resource.id]).slice(0, 3)).to.deep.equal([
      ['api_key.deleted', testKey.id],
      ['api_key.created', testKey.id],
      ['webhook.created', testWebhookId],
    ]);
  });

  it('shows a test key no further entries', async () => {
    await entriesOf(account.live, 11);
    expect((await changesOf(account.test)).length).to.equal(4);
  });

  it('shows the actor of a change, and each field before and after it', async () => {
    const { id, at, actor, ...entry } = (await entriesOf(account.live, 11))[7] ?? expect.fail('no entry');
    expect([id.length, Date.parse(at) > 0, actor.type, actor.name, entry]).to.deep.equal([
      26,
      true,
      'api_key',
      'First live key',
      {
        action: 'webhook.created',
        resource: { type: 'webhook', id: webhookId },
        changes: {
          url: { from: null, to: 'https://example.com/hook' },
          events: { from: null, to: ['*'] },
          description: { from: null, to: 'Shop' },
        },
        client: null,
      },
    ]);
  });

  it('shows the operator as the actor of a change by the command line', async () => {
    const entry = (await entriesOf(account.live, 11))[2];
    expect([entry?.actor, entry?.changes]).to.deep.equal([
      { type: 'operator', id: null, name: userInfo().username },
      { requestsPerSecond: { from: 100_000, to: 90_000 } },
    ]);
  });

  it('contains no secret', async () => {
    await entriesOf(account.live, 11);
    const { text } = await account.live.get('/v1/audit-log');
    const secrets = [account.liveKey, account.testKey, testKey.secret].map((secret) => secret.slice(-20));
    expect(secrets.filter((secret) => text.includes(secret))).to.deep.equal([]);
  });

  it('has pages', async () => {
    await entriesOf(account.live, 11);
    const ids = (await logOf(account.live)).data.map(({ id }) => id);
    const behind = await logOf(account.live, `?limit=3&startingAfter=${ids[3]}`);
    const before = await logOf(account.live, `?limit=2&endingBefore=${ids[3]}`);
    expect([behind, before].map(({ data, hasMore }) => [data.map(({ id }) => id), hasMore])).to.deep.equal([
      [ids.slice(4, 7), true],
      [ids.slice(1, 3), true],
    ]);
  });

  it('filters by actor, action, resource and time, and an entry must match all filters', async () => {
    const entries = await entriesOf(account.live, 11);
    const byKey = entries.find(({ resource }) => resource.id === webhookId);
    const keyId = byKey?.actor.id ?? '';
    const from = entries.findLast(({ resource }) => resource.id === webhookId)?.at ?? '';
    const listed = async (query: string) =>
      (await logOf(account.live, `?${query}`)).data.map(({ action, resource: { id } }) => `${action} ${id}`);

    expect(await listed(`resourceId=${webhookId}`)).to.deep.equal([
      `webhook.deleted ${webhookId}`,
      `webhook.created ${webhookId}`,
    ]);
    expect(await listed(`actorId=${keyId}&action=webhook.*`)).to.deep.equal([
      `webhook.deleted ${webhookId}`,
      `webhook.created ${webhookId}`,
    ]);
    expect(await listed('resourceType=account&action=account.suspended')).to.deep.equal([
      `account.suspended ${account.id}`,
    ]);
    expect(await listed(`resourceId=${webhookId}&createdGt=${from}`)).to.deep.equal([
      `webhook.deleted ${webhookId}`,
    ]);
    expect(await listed(`actorId=${keyId}&resourceType=replay`)).to.deep.equal([]);
  });

  it('has pages with filters', async () => {
    await entriesOf(account.live, 11);
    const all = (await logOf(account.live, '?action=webhook.*')).data.map(({ id }) => id);
    const first = await logOf(account.live, '?action=webhook.*&limit=1');
    const next = await logOf(account.live, `?action=webhook.*&limit=2&startingAfter=${all[0]}`);
    expect([first, next].map(({ data, hasMore }) => [data.map(({ id }) => id), hasMore])).to.deep.equal([
      [all.slice(0, 1), true],
      [all.slice(1, 3), false],
    ]);
  });

  it('ends a page with filters when its time has passed, and continues at its cursor', async () => {
    await entriesOf(account.live, 11);
    const expected = (await logOf(account.live, '?action=webhook.*')).data.map(({ id }) => id);
    const lengths = { first: 2, shortest: 2, longest: 2 };
    const found = await account.service.withStores(async ({ models }) => {
      const list = createAuditList(models.audit, { maximumMs: 0, lengths, now: () => performance.now() });
      const ids: string[] = [];
      let cursor: string | null | undefined;
      do {
        const query = { limit: 20, action: 'webhook.*', ...(cursor && { startingAfter: cursor }) };
        const page: Awaited<ReturnType<typeof list>> = await list(
          { accountId: account.id, mode: 'live' },
          query,
        );
        if (isApiError(page)) {
          return expect.fail('the page is an error');
        }
        ids.push(...page.items.map(({ _id: id }) => id));
        cursor = page.searched?.cursor;
        expect([page.hasMore, page.items.length <= 2]).to.deep.equal([cursor !== undefined, true]);
      } while (cursor !== undefined);
      return ids;
    });
    expect(found).to.deep.equal(expected);
  });

  it('validates the query', async () => {
    for (const query of ['action=webhook', 'action=*', 'resourceType=plan', 'actorId=', 'createdGt=today']) {
      const [name] = query.split('=');
      expect(refusalOf(await account.live.get(`/v1/audit-log?${query}`))).to.equal(
        `400 parameter_invalid ${name}`,
      );
    }
    expect(refusalOf(await account.live.get('/v1/audit-log?actor=x'))).to.equal(
      '400 parameter_unknown actor',
    );
  });

  it('rejects a cursor that is unknown, or an entry that the caller cannot see', async () => {
    const [newest] = await entriesOf(account.live, 11);
    const other = await openAccount(account.service);
    const responses = await Promise.all(
      [account.test, other.live].map((client) =>
        client.get(`/v1/audit-log?startingAfter=${newest?.id ?? ''}`),
      ),
    );
    expect(responses.map(refusalOf)).to.deep.equal([
      '400 cursor_invalid startingAfter',
      '400 cursor_invalid startingAfter',
    ]);
    for (const cursor of ['01HZZZZZZZZZZZZZZZZZZZZZZZ', 'meta', 'x', '']) {
      expect(refusalOf(await account.live.get(`/v1/audit-log?endingBefore=${cursor}`)), cursor).to.equal(
        '400 cursor_invalid endingBefore',
      );
    }
  });
});
