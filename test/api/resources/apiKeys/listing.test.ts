import { expect } from 'chai';

import { eventually } from '../../../support/eventually.js';
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

  it('returns the newest key first', () => {
    expect(liveIds).to.deep.equal(liveIds.toSorted().toReversed());
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
  for (const [query, from, to, hasMore] of pages) {
    it(`returns the keys from index ${from} to ${to} for ${query(['0', '1', '2', '3', '4', '5', '6'])}`, async () => {
      const page = await listApiKeys(account.live, query(liveIds));
      expect([page.data.map(({ id }) => id), page.hasMore]).to.deep.equal([liveIds.slice(from, to), hasMore]);
    });
  }

  it('accepts the id of a deleted key as a cursor', async () => {
    const own = await openAccount(account.service);
    const [first, deleted] = [await createApiKey(own.live), await createApiKey(own.live)];
    await createApiKey(own.live);
    await own.live.delete(`/v1/api-keys/${deleted.id}`);
    expect((await apiKeyIdsOf(own.live, `?startingAfter=${deleted.id}`))[0]).to.equal(first.id);
  });

  it('rejects the id of a live key as a cursor of a test key, deleted or not', async () => {
    const own = await openAccount(account.service);
    const deleted = await createApiKey(own.live);
    await own.live.delete(`/v1/api-keys/${deleted.id}`);
    const left = await createApiKey(own.live);
    const responses = await Promise.all(
      [deleted, left].map(({ id }) => own.test.get(`/v1/api-keys?startingAfter=${id}`)),
    );
    expect(responses.map(refusalOf)).to.deep.equal([
      '400 cursor_invalid startingAfter',
      '400 cursor_invalid startingAfter',
    ]);
  });

  for (const cursor of ['key_01HZZZZZZZZZZZZZZZZZZZZZZZ', 'x', '__proto__', '']) {
    it(`rejects the cursor "${cursor}"`, async () => {
      expect(refusalOf(await account.live.get(`/v1/api-keys?startingAfter=${cursor}`))).to.equal(
        '400 cursor_invalid startingAfter',
      );
    });
  }

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

  it('shows a new key in the list of every process', async () => {
    const other = await startAnotherApi(account.service);
    const { id } = await createApiKey(account.live);
    const ids = await eventually('the list', () =>
      apiKeyIdsOf(createClient(other.address, account.liveKey), '?limit=1'),
    );
    await other.stop();
    expect(ids).to.deep.equal([id]);
  });
});
