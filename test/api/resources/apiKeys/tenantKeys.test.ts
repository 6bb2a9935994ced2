import { randomBytes, randomUUID } from 'node:crypto';

import { expect } from 'chai';
import { z } from 'zod';

import { apiKeyWithSecretSchema } from '../../../../api/resources/apiKeys/routes.js';
import { eventSchema } from '../../../../api/resources/events/routes.js';
import { portalSessionSchema } from '../../../../api/resources/portalSessions/routes.js';
import { apiKeySecret, apiKeySecretBytes, traceOfSecret } from '../../../../shared/domain/accounts/apiKey.js';
import type { TenantApiKeyFact } from '../../../../shared/domain/accounts/tenantApiKey.js';
import { createRandom } from '../../../../shared/core/random.js';
import { createIdentifiers } from '../../../../shared/domain/core/identifiers.js';
import type { RunningRole } from '../../../../shared/runtime/role.js';
import { eventually } from '../../../support/eventually.js';
import { readTopic } from '../../../support/readTopic.js';
import { openAccount, type TestAccount } from '../../support/accounts.js';
import { startAnotherApi } from '../../support/anotherApi.js';
import { postBatch } from '../../support/batches.js';
import { apiKeyIdsOf, createApiKey, listApiKeys } from '../../support/apiKeys.js';
import { createClient, read, refusalOf, type Client } from '../../support/client.js';
import { refusedWithin } from '../../support/refusedWithin.js';
import {
  appendToTenant,
  createTenant,
  deleteTenant,
  tenantKeyClient,
  type TestTenant,
} from '../../support/tenants.js';

const identifiers = createIdentifiers(createRandom());
const scopes = ['webhooks:read', 'webhooks:write', 'events:read', 'events:write'];
const webhookBody = { url: 'https://example.com/', events: ['a'] };
const shownSecret = z.object({ id: z.string(), secret: z.string(), tenantId: z.string().nullable() });
const entriesSchema = z.object({
  data: z.array(
    z.object({
      action: z.string(),
      actor: z.object({ id: z.string().nullable() }),
      changes: z.record(z.string(), z.unknown()),
    }),
  ),
});

/** The fact that a tenant has another key, and its secret. */
function addedKey(
  { lifeId }: TestTenant,
  expiresAt: Date | null = null,
): { readonly secret: string; readonly fact: TenantApiKeyFact } {
  const secret = apiKeySecret('live', randomBytes(apiKeySecretBytes));
  const actor = { type: 'operator', id: null, name: 'test' } as const;
  const keyId = identifiers.create('key', new Date());
  const value = { keyId, lifeId, name: 'added', mode: 'live', expiresAt, actor } as const;
  return {
    secret,
    fact: { type: 'postrider.api-key.created', value: { ...value, ...traceOfSecret('live', secret) } },
  };
}

describe('the API keys of tenants', () => {
  let account: TestAccount;
  let tenant: TestTenant;
  let another: TestTenant;
  let other: RunningRole;
  before(async () => {
    account = await openAccount();
    tenant = await createTenant(account, 'customer-42');
    another = await createTenant(account, 'customer-43');
    other = await startAnotherApi(account.service);
  });

  const create = (fields: object, client: Client = account.live) =>
    client.postJson('/v1/api-keys', { name: 'Backend', ...fields });
  const clientOf = ({ secret }: { secret: string }, address = account.service.address) =>
    createClient(address, secret);

  /** The answers of both processes, once neither accepts the key. */
  const refusalsOf = (apiKey: { secret: string }, limitMs = 1000) =>
    refusedWithin(limitMs, async () => {
      const clients = [account.service.address, other.address].map((address) => clientOf(apiKey, address));
      const responses = await Promise.all(clients.map((client) => client.get('/v1/webhooks')));
      return responses.some(({ status }) => status === 200) ? null : responses.map(refusalOf);
    });
  const bothInvalid = ['401 api_key_invalid', '401 api_key_invalid'];

  it('are returned with their tenant and their scopes, on any plan', async () => {
    const free = await openAccount(account.service, { plan: 'free', requestsPerSecond: 10 });
    await createTenant(free, 'customer-42');
    const response = await create({ tenantId: 'customer-42' }, free.live);
    const { id: _id, created: _created, secret, last4, ...apiKey } = read(response, apiKeyWithSecretSchema);
    expect([response.status, apiKey, secret.endsWith(last4)]).to.deep.equal([
      201,
      {
        ...{ name: 'Backend', mode: 'live', tenantId: 'customer-42', scopes, prefix: 'sk_live_' },
        ...{ status: 'active', expiresAt: null, lastUsedAt: null },
      },
      true,
    ]);
    const { status, headers } = await clientOf({ secret }).get('/v1/webhooks');
    expect([status, headers['ratelimit-policy']]).to.deep.equal([200, '"free";q=10;w=1']);
  });

  it('cannot be created for an unknown tenant, one of the other mode, or with scopes', async () => {
    for (const [fields, refusal] of [
      [{ tenantId: 'nobody' }, '400 tenant_unknown tenantId'],
      [{ tenantId: 'customer-42', mode: 'test' }, '400 tenant_unknown tenantId'],
      [{ tenantId: 'customer-42', scopes: ['events:read'] }, '400 parameter_invalid scopes'],
    ] as const) {
      expect(refusalOf(await create(fields))).to.equal(refusal);
    }
  });

  it('cannot be created in live mode by a test key', async () => {
    const response = await create({ tenantId: 'customer-42', mode: 'live' }, account.test);
    expect(refusalOf(response)).to.equal('403 insufficient_scope');
  });

  it('work at once on every process, and name their tenant', async () => {
    const apiKey = await createApiKey(account.live, { tenantId: tenant.id });
    for (const address of [account.service.address, other.address]) {
      const response = await clientOf(apiKey, address).get('/v1/portal-session');
      const { tenant: shown, capabilities } = read(response, portalSessionSchema);
      expect([shown.id, capabilities]).to.deep.equal(['customer-42', scopes]);
    }
  });

  it('post events of their tenant alone: single events, batches and CloudEvents', async () => {
    const client = await tenantKeyClient(tenant);
    const cloudEvent = (attributes: object) =>
      JSON.stringify({
        ...{ specversion: '1.0', id: randomUUID(), source: '/shop', type: 'a', data: {} },
        ...attributes,
      });
    const structured = { 'content-type': 'application/cloudevents+json' };
    const event = { type: 'a', data: {} };
    const batch = await postBatch(client, [event, { ...event, tenantId: 'customer-42' }]);
    const posted = [
      read(await client.postJson('/v1/events', event), eventSchema),
      read(await client.post('/v1/events', cloudEvent({}), structured), eventSchema),
      ...batch.map((result) => result.event),
    ];
    expect(posted.map((each) => each?.tenantId)).to.deep.equal(posted.map(() => 'customer-42'));
    const foreign = await client.post('/v1/events', cloudEvent({ tenantid: 'customer-43' }), structured);
    expect(refusalOf(foreign)).to.equal('400 parameter_invalid tenantid');
  });

  it('do not share idempotency keys: another tenant gets another webhook with another secret', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const keys = [tenant, another, tenant];
    const clients = await Promise.all(keys.map(tenantKeyClient));
    const answers = [];
    for (const client of clients) {
      const { text } = await client.postJson('/v1/webhooks', webhookBody, headers);
      answers.push(shownSecret.parse(JSON.parse(text)));
    }
    const [first, second, third] = answers;
    expect(answers.map(({ tenantId }) => tenantId)).to.deep.equal(keys.map(({ id }) => id));
    expect([first?.secret === second?.secret, first]).to.deep.equal([false, third]);
  });

  describe('in lists', () => {
    let own: TestAccount;
    /** The ids of the keys, newest first. */
    const ids = { account: [] as readonly string[], one: '', two: '', test: '' };
    before(async () => {
      own = await openAccount(account.service);
      ids.account = await apiKeyIdsOf(own.live);
      for (const [id, mode] of [
        ['one', 'live'],
        ['two', 'live'],
        ['one', 'test'],
      ] as const) {
        await createTenant(own, id, mode);
      }
      ids.one = (await createApiKey(own.live, { tenantId: 'one' })).id;
      ids.account = [(await createApiKey(own.live)).id, ...ids.account];
      ids.two = (await createApiKey(own.live, { tenantId: 'two' })).id;
      ids.test = (await createApiKey(own.live, { tenantId: 'one', mode: 'test' })).id;
    });

    it('are among the keys of the account, newest first, page by page', async () => {
      const [first = '', ...others] = ids.account;
      const all = [ids.test, ids.two, first, ids.one, ...others];
      expect(await apiKeyIdsOf(own.live)).to.deep.equal(all);
      const page = await listApiKeys(own.live, `?limit=2&startingAfter=${ids.two}`);
      expect([page.data.map(({ id }) => id), page.hasMore]).to.deep.equal([[first, ids.one], true]);
      expect(await apiKeyIdsOf(own.live, `?limit=2&endingBefore=${ids.one}`)).to.deep.equal([ids.two, first]);
      const last = await listApiKeys(own.live, `?limit=2&startingAfter=${ids.one}`);
      expect([last.data.map(({ id }) => id), last.hasMore]).to.deep.equal([others, false]);
    });

    it('are selected by their tenant, and `null` selects those without one', async () => {
      expect(await apiKeyIdsOf(own.live, '?tenantId=one')).to.deep.equal([ids.test, ids.one]);
      expect(await apiKeyIdsOf(own.live, '?tenantId=two')).to.deep.equal([ids.two]);
      expect(await apiKeyIdsOf(own.live, '?tenantId=none')).to.deep.equal([]);
      expect(await apiKeyIdsOf(own.live, '?tenantId=null')).to.deep.equal(ids.account);
      expect(refusalOf(await own.live.get('/v1/api-keys?tenantId=*'))).to.equal(
        '400 parameter_invalid tenantId',
      );
    });

    it('are shown to a test key only in test mode', async () => {
      const shown = await apiKeyIdsOf(own.test);
      expect([shown.includes(ids.test), shown.includes(ids.one)]).to.deep.equal([true, false]);
      expect(await apiKeyIdsOf(own.test, '?tenantId=one')).to.deep.equal([ids.test]);
      expect(refusalOf(await own.test.get(`/v1/api-keys?startingAfter=${ids.one}`))).to.equal(
        '400 cursor_invalid startingAfter',
      );
    });

    it('remain a cursor of their account after their deletion', async () => {
      const deleted = await createApiKey(own.live, { tenantId: 'two' });
      await own.live.delete(`/v1/api-keys/${deleted.id}`);
      expect((await apiKeyIdsOf(own.live, `?startingAfter=${deleted.id}`))[0]).to.equal(ids.test);
      const foreign = await openAccount(account.service);
      expect(refusalOf(await foreign.live.get(`/v1/api-keys?startingAfter=${ids.one}`))).to.equal(
        '400 cursor_invalid startingAfter',
      );
    });
  });

  it('can be deleted, also if they are the only key of the tenant, and then end within a second', async () => {
    const apiKey = await createApiKey(account.live, { tenantId: tenant.id });
    await clientOf(apiKey, other.address).get('/v1/webhooks');
    const refusals = [
      refusalOf(await account.test.delete(`/v1/api-keys/${apiKey.id}`)),
      (await account.live.delete(`/v1/api-keys/${apiKey.id}`)).status,
      refusalOf(await account.live.delete(`/v1/api-keys/${apiKey.id}`)),
    ];
    expect(refusals).to.deep.equal(['404 resource_missing', 200, '404 resource_missing']);
    expect(await refusalsOf(apiKey)).to.deep.equal(bothInvalid);
  });

  it('expire', async () => {
    const expiresAt = new Date(Date.now() + 500);
    const { secret, fact } = addedKey(tenant, expiresAt);
    await appendToTenant(account, tenant, fact);
    const limitMs = Math.max(1, expiresAt.getTime() - Date.now() + 100);
    expect(await refusalsOf({ secret }, limitMs)).to.deep.equal([
      '401 api_key_expired',
      '401 api_key_expired',
    ]);
  });

  it('end with their tenant, and another life of the same tenant has none of them', async () => {
    const ended = await createTenant(account, 'ended');
    const apiKey = await createApiKey(account.live, { tenantId: ended.id });
    await clientOf(apiKey, other.address).get('/v1/webhooks');
    await account.live.delete('/v1/tenants/ended');
    expect(await refusalsOf(apiKey)).to.deep.equal(bothInvalid);
    expect(refusalOf(await create({ tenantId: 'ended' }))).to.equal('400 tenant_unknown tenantId');

    await account.live.put('/v1/tenants/ended', '{}');
    expect(await refusalsOf(apiKey)).to.deep.equal(bothInvalid);
    expect(await apiKeyIdsOf(account.live, '?tenantId=ended')).to.deep.equal([]);
    const [document] = await account.service.withStores(
      async ({ models }) => (await models.tenantApiKeys.findInAllAccounts([apiKey.id])).documents,
    );
    expect(document).to.include({ keyStatus: 'deleted' }).and.not.to.have.any.keys('name', 'hash');
  });

  it('end with the life of their tenant, even if its deletion does not name them', async () => {
    const ended = await createTenant(account, 'unnamed');
    const apiKey = await createApiKey(account.live, { tenantId: ended.id });
    await deleteTenant(ended);
    expect(await refusalsOf(apiKey)).to.deep.equal(bothInvalid);
    await createTenant(account, 'unnamed');
    expect(await refusalsOf(apiKey)).to.deep.equal(bothInvalid);
  });

  it('are at most 100 for each tenant, and do not count for the account', async () => {
    const full = await createTenant(account, 'full');
    const facts = Array.from({ length: 97 }, () => addedKey(full).fact);
    await appendToTenant(account, full, addedKey(full).fact, ...facts);
    const clients = [account.live, createClient(other.address, account.liveKey)];
    const responses = await Promise.all(
      Array.from({ length: 6 }, (_, index) => create({ tenantId: full.id }, clients[index % 2])),
    );
    expect(responses.map(({ status }) => status).toSorted()).to.deep.equal([201, 201, 400, 400, 400, 400]);
    const more = [await create({ tenantId: another.id }), await create({})];
    expect(more.map(({ status }) => status)).to.deep.equal([201, 201]);
  });

  it('are in the audit log: their creation, their first use, and their deletion, and as the actors of changes', async () => {
    const { id, secret } = await createApiKey(account.live, { tenantId: tenant.id });
    await Promise.all([
      clientOf({ secret }).get('/v1/webhooks'),
      clientOf({ secret }, other.address).get('/v1/webhooks'),
    ]);
    const { text: created } = await clientOf({ secret }).postJson('/v1/webhooks', webhookBody);
    const webhook = shownSecret.parse(JSON.parse(created));
    const entriesOf = async (resourceId = id) => {
      const { text } = await account.live.get(`/v1/audit-log?resourceId=${resourceId}`);
      return entriesSchema.parse(JSON.parse(text)).data;
    };
    const actor = await eventually('the entry', async () => (await entriesOf(webhook.id))[0]?.actor ?? null);
    expect(actor.id).to.equal(id);
    await eventually('the first use', async () => ((await entriesOf()).length === 2 ? true : null));
    await account.live.delete(`/v1/api-keys/${id}`);
    const entries = await eventually('three entries', async () => {
      const found = await entriesOf();
      return found.length === 3 ? found : null;
    });
    expect(entries.map(({ action }) => action)).to.have.members([
      'api_key.created',
      'api_key.first_used',
      'api_key.deleted',
    ]);
    const creation = entries.find(({ action }) => action === 'api_key.created');
    expect(creation?.changes).to.deep.include({ tenantId: { from: null, to: 'customer-42' } });
    expect(entries.find(({ action }) => action === 'api_key.first_used')?.actor.id).to.equal(id);
  });

  it('have neither their secret nor their name in the log in readable form', async () => {
    const own = await openAccount(account.service);
    await createTenant(own, 'sealed');
    const { secret, id } = await createApiKey(own.live, { tenantId: 'sealed', name: 'Grace Hopper' });
    const kept = await own.service.withStores(async ({ kafka, offsets, models }) => {
      const count = (await offsets.ends('tenants')).reduce((sum, end) => sum + end, 0);
      const topic = `${own.service.config.topics.prefix}tenants`;
      const records = await readTopic({ kafka }, topic, count);
      const { documents } = await models.tenantApiKeys.findInAllAccounts([id]);
      return { log: records.map(({ value }) => value?.toString()).join(), model: JSON.stringify(documents) };
    });
    const random = secret.slice('sk_live_'.length);
    expect([
      kept.log.includes('Grace Hopper'),
      kept.log.includes(random),
      kept.model.includes(random),
    ]).to.deep.equal([false, false, false]);
    expect(kept.model).to.contain('Grace Hopper');
  });
});
