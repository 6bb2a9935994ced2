import { expect } from 'chai';

import { deletedApiKeySchema } from '../../../../api/resources/apiKeys/routes.js';
import type { RunningRole } from '../../../../shared/runtime/role.js';
import { addApiKey, openAccount, type TestAccount } from '../../support/accounts.js';
import { startAnotherApi } from '../../support/anotherApi.js';
import { apiKeyIdsOf, createApiKey, listApiKeys } from '../../support/apiKeys.js';
import { createClient, read, refusalOf, type Client } from '../../support/client.js';
import { refusedWithin } from '../../support/refusedWithin.js';

const unknown = 'key_01HZZZZZZZZZZZZZZZZZZZZZZZ';

describe('DELETE /v1/api-keys/{id}', () => {
  let account: TestAccount;
  let other: RunningRole;
  before(async () => {
    account = await openAccount();
    other = await startAnotherApi(account.service);
  });

  const remove = (client: Client, id: string) => client.delete(`/v1/api-keys/${id}`);

  /** The id of the account's first key in that mode. */
  const firstId = async ({ live }: TestAccount, mode: 'live' | 'test') =>
    (await listApiKeys(live)).data.findLast((apiKey) => apiKey.mode === mode)?.id ?? '';

  it('disables the key within a second on every process', async () => {
    const { id, secret } = await createApiKey(account.live);
    const clients = [account.service.address, other.address].map((address) => createClient(address, secret));
    await Promise.all(clients.map((client) => client.get('/v1/webhooks')));
    const deleted = await remove(account.live, id);
    expect(read(deleted, deletedApiKeySchema)).to.deep.equal({ id, deleted: true });
    expect(await apiKeyIdsOf(account.live, '?limit=100')).not.to.include(id);
    expect(refusalOf(await remove(account.live, id))).to.equal('404 resource_missing');
    const refusals = await refusedWithin(1000, async () => {
      const responses = await Promise.all(clients.map((client) => client.get('/v1/webhooks')));
      return responses.every(({ status }) => status !== 200) ? responses.map(refusalOf) : null;
    });
    expect(refusals).to.deep.equal(['401 api_key_invalid', '401 api_key_invalid']);
  });

  it('answers 404 for an unknown key, and lets a live key delete a test key', async () => {
    for (const id of [unknown, 'x', 'meta', '__proto__', '$ne', 'key_%00']) {
      expect(refusalOf(await remove(account.live, id)), id).to.equal('404 resource_missing');
    }
    const { id } = await createApiKey(account.test);
    expect((await remove(account.live, id)).status).to.equal(200);
  });

  for (const mode of ['live', 'test'] as const) {
    it(`keeps the last full key of ${mode} mode until there is another one`, async () => {
      const own = await openAccount(account.service);
      const id = await firstId(own, mode);
      expect([
        refusalOf(await remove(own.live, id)),
        (await own[mode].get('/v1/events')).status,
      ]).to.deep.equal(['409 last_key', 200]);
      await createApiKey(own.live, { mode });
      expect((await remove(own.live, id)).status).to.equal(200);
    });
  }

  it('deletes any scoped or expired key, which do not allow to delete the last full key', async () => {
    const own = await openAccount(account.service);
    const { id: scoped } = await addApiKey(own, { mode: 'live', scopes: ['events:read'] });
    const { id: expired } = await addApiKey(own, { mode: 'live', expiresAt: new Date(Date.now() - 1) });
    expect(refusalOf(await remove(own.live, await firstId(own, 'live')))).to.equal('409 last_key');
    const responses = [await remove(own.live, scoped), await remove(own.live, expired)];
    expect(responses.map(({ status }) => status)).to.deep.equal([200, 200]);
  });

  it('keeps one of the last two full keys that delete themselves at once, on two processes', async () => {
    const own = await openAccount(account.service);
    const first = { id: await firstId(own, 'live'), secret: own.liveKey };
    const second = await createApiKey(own.live);
    const responses = await Promise.all([
      remove(createClient(account.service.address, first.secret), first.id),
      remove(createClient(other.address, second.secret), second.id),
    ]);
    expect(responses.map(({ status }) => status).toSorted()).to.deep.equal([200, 409]);
  });

  it('keeps one of five full keys that are all deleted at once, on two processes', async () => {
    const own = await openAccount(account.service);
    const ids = [await firstId(own, 'test')];
    for (let number = 1; number < 5; number += 1) {
      ids.push((await createApiKey(own.test)).id);
    }
    const clients = [own.live, createClient(other.address, own.liveKey)];
    const responses = await Promise.all(ids.map((id, index) => remove(clients[index % 2] ?? own.live, id)));
    expect(responses.map(({ status }) => status).toSorted()).to.deep.equal([
      ...Array.from({ length: 4 }, () => 200),
      409,
    ]);
  });
});
