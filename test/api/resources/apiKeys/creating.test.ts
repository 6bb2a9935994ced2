import { expect } from 'chai';

import { apiKeyWithSecretSchema } from '../../../../api/resources/apiKeys/routes.js';
import { scopes } from '../../../../shared/domain/accounts/account.js';
import { isIdentifier } from '../../../../shared/domain/core/identifiers.js';
import type { RunningRole } from '../../../../shared/runtime/role.js';
import { readTopic } from '../../../support/readTopic.js';
import { addApiKeys, openAccount, type TestAccount } from '../../support/accounts.js';
import { startAnotherApi } from '../../support/anotherApi.js';
import { createApiKey, listApiKeys } from '../../support/apiKeys.js';
import { createClient, read, refusalOf } from '../../support/client.js';

const name = 'Server';
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

describe('POST /v1/api-keys', () => {
  let account: TestAccount;
  let other: RunningRole;
  before(async () => {
    account = await openAccount();
    other = await startAnotherApi(account.service);
  });

  const clientOf = ({ secret }: { secret: string }) => createClient(account.service.address, secret);

  it('answers 201 with the key', async () => {
    const expiresAt = inAnHour();
    const response = await account.live.postJson('/v1/api-keys', {
      name,
      scopes: ['events:read'],
      expiresAt,
    });
    const { id, created, secret, last4, ...apiKey } = read(response, apiKeyWithSecretSchema);
    expect([response.status, apiKey, last4]).to.deep.equal([
      201,
      {
        name,
        mode: 'live',
        tenantId: null,
        scopes: ['events:read'],
        prefix: 'sk_live_',
        status: 'active',
        expiresAt,
        lastUsedAt: null,
      },
      secret.slice(-4),
    ]);
  });

  for (const mode of ['live', 'test'] as const) {
    it(`creates a key of the caller’s mode by default, with a secret of 32 random bytes: ${mode}`, async () => {
      const { id, secret, mode: ofKey } = await createApiKey(account[mode]);
      expect([isIdentifier('key', id), ofKey]).to.deep.equal([true, mode]);
      expect(secret).to.match(new RegExp(`^sk_${mode}_[\\w-]{43}$`));
      const { secret: other } = await createApiKey(account.live, { mode });
      expect(other)
        .to.match(new RegExp(`^sk_${mode}_`))
        .and.not.equal(secret);
    });
  }

  it('creates a full key if no scopes are given', async () => {
    const { scopes: none, expiresAt } = await createApiKey(account.live, { scopes: null, expiresAt: null });
    expect([none, expiresAt]).to.deep.equal([null, null]);
  });

  it('retains each scope once', async () => {
    const given = ['webhooks:read', 'events:read', 'webhooks:read'];
    expect((await createApiKey(account.live, { scopes: given })).scopes).to.deep.equal([
      'webhooks:read',
      'events:read',
    ]);
  });

  it('creates a key that works at once on every process', async () => {
    const { secret } = await createApiKey(account.live);
    const clients = [account.service.address, other.address].map((address) => createClient(address, secret));
    const responses = await Promise.all(clients.map((client) => client.get('/v1/webhooks')));
    expect(responses.map(({ status }) => status)).to.deep.equal([200, 200]);
  });

  it('creates a key that is limited to its scopes', async () => {
    const client = clientOf(await createApiKey(account.live, { scopes: ['events:read'] }));
    const responses = [await client.get('/v1/events'), await client.get('/v1/webhooks')];
    expect(responses.map(({ status }) => status)).to.deep.equal([200, 403]);
  });

  it('forbids a test key to create a live key', async () => {
    const response = await account.test.postJson('/v1/api-keys', { name, mode: 'live' });
    expect(refusalOf(response)).to.equal('403 insufficient_scope');
  });

  for (const plan of ['free', 'pro'] as const) {
    it(`creates full keys that expire, and no scoped ones, on the plan ${plan}`, async () => {
      const { live } = await openAccount(account.service, { plan, requestsPerSecond: 10 });
      const response = await live.postJson('/v1/api-keys', { name, scopes });
      expect(refusalOf(response)).to.equal('403 plan_required');
      expect((await createApiKey(live, { expiresAt: inAnHour() })).status).to.equal('active');
    });
  }

  it('validates its body', async () => {
    for (const [body, refusal] of [
      [{}, '400 parameter_missing name'],
      [{ name, expiresAt: '2020-01-01T00:00:00Z' }, '400 parameter_invalid expiresAt'],
    ] as const) {
      expect(refusalOf(await account.live.postJson('/v1/api-keys', body))).to.equal(refusal);
    }
  });

  it('creates at most 100 keys in each mode, including expired ones', async () => {
    const full = await openAccount(account.service);
    await addApiKeys(
      full,
      Array.from({ length: 98 }, () => ({ mode: 'live', expiresAt: new Date(0) })),
    );
    const responses = [
      await full.live.postJson('/v1/api-keys', { name }),
      await full.live.postJson('/v1/api-keys', { name }),
      await full.live.postJson('/v1/api-keys', { name, mode: 'test' }),
    ];
    expect(responses.map(({ status }) => status)).to.deep.equal([201, 400, 201]);
  });

  it('shows the secret only in its response, and stores it neither in the log nor in the read model', async () => {
    const own = await openAccount(account.service);
    const { secret } = await createApiKey(own.live);
    expect(JSON.stringify(await listApiKeys(own.live))).not.to.contain(secret);
    const kept = await own.service.withStores(async ({ kafka, offsets, models }) => {
      const count = (await offsets.ends('accounts')).reduce((sum, end) => sum + end, 0);
      const topic = `${own.service.config.topics.prefix}accounts`;
      const records = await readTopic({ kafka }, topic, count);
      const { documents } = await models.accounts.findInAllAccounts([own.id]);
      return [...records.map(({ value }) => value?.toString()), JSON.stringify(documents)].join();
    });
    expect([kept.includes(own.id), kept.includes(secret.slice('sk_live_'.length))]).to.deep.equal([
      true,
      false,
    ]);
  });
});
