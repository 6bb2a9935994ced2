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

const refusedBodies: readonly [what: string, body: unknown, apiError: string][] = [
  ['nothing', {}, '400 parameter_missing name'],
  ['a number for name', { name: 1 }, '400 parameter_invalid name'],
  ['null for name', { name: null }, '400 parameter_invalid name'],
  ['an empty name', { name: '' }, '400 parameter_invalid name'],
  ['a blank name', { name: ' \t' }, '400 parameter_invalid name'],
  ['a name of 101 characters', { name: 'a'.repeat(101) }, '400 parameter_invalid name'],
  ['half a character in name', { name: '\ud800' }, '400 parameter_invalid name'],
  ['an unknown mode', { name, mode: 'production' }, '400 parameter_invalid mode'],
  ['null for mode', { name, mode: null }, '400 parameter_invalid mode'],
  ['no scopes in scopes', { name, scopes: [] }, '400 parameter_invalid scopes'],
  ['a text for scopes', { name, scopes: 'events:read' }, '400 parameter_invalid scopes'],
  ['an unknown scope', { name, scopes: ['events:read', 'keys:write'] }, '400 parameter_invalid scopes[1]'],
  ['* among scopes', { name, scopes: ['*'] }, '400 parameter_invalid scopes[0]'],
  ['a date without a time', { name, expiresAt: '2099-01-01' }, '400 parameter_invalid expiresAt'],
  ['a time without a zone', { name, expiresAt: '2099-01-01T00:00:00' }, '400 parameter_invalid expiresAt'],
  ['a number for expiresAt', { name, expiresAt: 4_070_908_800 }, '400 parameter_invalid expiresAt'],
  [
    'an expiresAt of the past',
    { name, expiresAt: '2020-01-01T00:00:00Z' },
    '400 parameter_invalid expiresAt',
  ],
  ['a field too many', { name, extra: 1 }, '400 parameter_unknown extra'],
  ['a given secret', { name, secret: 'sk_live_x' }, '400 parameter_unknown secret'],
];

describe('POST /v1/api-keys', () => {
  let account: TestAccount;
  let other: RunningRole;
  before(async () => {
    account = await openAccount();
    other = await startAnotherApi(account.service);
  });
  after(() => other.stop());

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

  it('gives the key a new id', async () => {
    expect(isIdentifier('key', (await createApiKey(account.live)).id)).to.equal(true);
  });

  for (const mode of ['live', 'test'] as const) {
    it(`makes a secret of 32 random bytes for ${mode} mode`, async () => {
      const { secret } = await createApiKey(account.live, { mode });
      expect(secret).to.match(new RegExp(`^sk_${mode}_[\\w-]{43}$`));
    });

    it(`creates a key of the caller’s mode by default: ${mode}`, async () => {
      expect((await createApiKey(account[mode])).mode).to.equal(mode);
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

  it('creates a full key that can create keys', async () => {
    const client = clientOf(await createApiKey(account.live));
    expect((await client.postJson('/v1/api-keys', { name })).status).to.equal(201);
  });

  it('forbids a test key to create a live key', async () => {
    const response = await account.test.postJson('/v1/api-keys', { name, mode: 'live' });
    expect(refusalOf(response)).to.equal('403 insufficient_scope');
  });

  for (const plan of ['free', 'pro'] as const) {
    it(`creates no scoped keys on the plan ${plan}`, async () => {
      const { live } = await openAccount(account.service, { plan, requestsPerSecond: 10 });
      const response = await live.postJson('/v1/api-keys', { name, scopes });
      expect(refusalOf(response)).to.equal('403 plan_required');
    });

    it(`creates full keys that expire on the plan ${plan}`, async () => {
      const { live } = await openAccount(account.service, { plan, requestsPerSecond: 10 });
      expect((await createApiKey(live, { expiresAt: inAnHour() })).status).to.equal('active');
    });
  }

  for (const [what, body, apiError] of refusedBodies) {
    it(`rejects ${what}`, async () => {
      expect(refusalOf(await account.live.postJson('/v1/api-keys', body))).to.equal(apiError);
    });
  }

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

  it('shows the secret only in its response', async () => {
    const { secret } = await createApiKey(account.live);
    expect(JSON.stringify(await listApiKeys(account.live, '?limit=100'))).not.to.contain(secret);
  });

  it('stores the secret neither in the log nor in the read model', async () => {
    const own = await openAccount(account.service);
    const { secret } = await createApiKey(own.live);
    const kept = await own.service.withStores(async ({ kafka, offsets, models }) => {
      const count = (await offsets.ends('accounts')).reduce((sum, end) => sum + end, 0);
      const topic = `${own.service.config.topics.prefix}accounts`;
      const records = await readTopic({ kafka }, topic, count);
      const { documents } = await models.accounts.findByIds([own.id]);
      return [...records.map(({ value }) => value?.toString()), JSON.stringify(documents)].join();
    });
    expect([kept.includes(own.id), kept.includes(secret.slice('sk_live_'.length))]).to.deep.equal([
      true,
      false,
    ]);
  });
});
