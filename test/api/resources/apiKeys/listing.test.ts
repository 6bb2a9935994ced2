import { expect } from 'chai';

import { addApiKey, openAccount, type TestAccount } from '../../support/accounts.js';
import { startAnotherApi } from '../../support/anotherApi.js';
import { apiKeyIdsOf, createApiKey, listApiKeys } from '../../support/apiKeys.js';
import { createClient, refusalOf } from '../../support/client.js';

describe('GET /v1/api-keys', () => {
  let account: TestAccount;
  let liveIds: readonly string[];
  let testIds: readonly string[];
  before(async () => {
    account = await openAccount();
    for (const mode of ['live', 'test', 'live', 'test', 'test']) {
      await createApiKey(account.live, { mode });
    }
    const { data } = await listApiKeys(account.live);
    liveIds = data.map(({ id }) => id);
    testIds = data.filter(({ mode }) => mode === 'test').map(({ id }) => id);
  });

  it('returns all keys of the account to a live key', async () => {
    const { data } = await listApiKeys(account.live);
    expect(data.map(({ mode }) => mode)).to.have.members([
      'live',
      'live',
      'live',
      'test',
      'test',
      'test',
      'test',
    ]);
  });

  it('returns the test keys to a test key', async () => {
    expect(await apiKeyIdsOf(account.test)).to.deep.equal(testIds);
  });

  it('returns a key as its creation did, without the secret', async () => {
    const own = await openAccount(account.service);
    const { secret: _secret, ...created } = await createApiKey(own.live, { scopes: ['events:read'] });
    const [first] = (await listApiKeys(own.live)).data;
    expect(first).to.deep.equal(created);
  });

  it('shows which keys have expired', async () => {
    const own = await openAccount(account.service);
    await addApiKey(own, { mode: 'live', expiresAt: new Date(Date.now() - 1) });
    const { data } = await listApiKeys(own.live);
    expect(data.map(({ status }) => status)).to.deep.equal(['expired', 'active', 'active']);
  });

  const pages: readonly [
    query: (ids: readonly string[]) => string,
    from: number,
    to: number,
    hasMore: boolean,
  ][] = [
    [() => '?limit=3', 0, 3, true],
    [() => '?limit=7', 0, 7, false],
    [(ids) => `?limit=2&startingAfter=${ids[1]}`, 2, 4, true],
    [(ids) => `?startingAfter=${ids[4]}`, 5, 7, false],
    [(ids) => `?startingAfter=${ids[6]}`, 7, 7, false],
    [(ids) => `?limit=2&endingBefore=${ids[4]}`, 2, 4, true],
    [(ids) => `?limit=4&endingBefore=${ids[4]}`, 0, 4, false],
    [(ids) => `?endingBefore=${ids[0]}`, 0, 0, false],
  ];
  it('returns the newest key first, page by page', async () => {
    expect(liveIds).to.deep.equal(liveIds.toSorted().toReversed());
    for (const [queryOf, from, to, hasMore] of pages) {
      const query = queryOf(liveIds);
      const page = await listApiKeys(account.live, query);
      expect([page.data.map(({ id }) => id), page.hasMore], query).to.deep.equal([
        liveIds.slice(from, to),
        hasMore,
      ]);
    }
  });

  it('accepts the id of a deleted key as a cursor, and none of a live key for a test key', async () => {
    const own = await openAccount(account.service);
    const deleted = await createApiKey(own.live);
    const left = await createApiKey(own.live);
    await own.live.delete(`/v1/api-keys/${deleted.id}`);
    expect(await apiKeyIdsOf(own.live, `?endingBefore=${deleted.id}`)).to.deep.equal([left.id]);
    const responses = await Promise.all(
      [deleted, left].map(({ id }) => own.test.get(`/v1/api-keys?startingAfter=${id}`)),
    );
    expect(responses.map(refusalOf)).to.deep.equal([
      '400 cursor_invalid startingAfter',
      '400 cursor_invalid startingAfter',
    ]);
  });

  it('rejects an unknown cursor', async () => {
    for (const cursor of ['key_01HZZZZZZZZZZZZZZZZZZZZZZZ', 'x', '__proto__', '']) {
      expect(refusalOf(await account.live.get(`/v1/api-keys?startingAfter=${cursor}`)), cursor).to.equal(
        '400 cursor_invalid startingAfter',
      );
    }
  });

  it('shows when a key was last used, once the process that saw the use has stored it', async () => {
    const { id, secret } = await createApiKey(account.live);
    const other = await startAnotherApi(account.service);
    const before = Date.now();
    await createClient(other.address, secret).get('/v1/events/none');
    const after = Date.now();
    await other.stop();
    const [used] = (await listApiKeys(account.live)).data.filter((apiKey) => apiKey.id === id);
    expect(Date.parse(used?.lastUsedAt ?? '')).to.be.within(before, after);
  });
});
