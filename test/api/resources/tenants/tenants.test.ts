import { expect } from 'chai';

import { auditLogSchema } from '../../../../api/resources/audit/routes.js';
import { tenantListSchema, tenantSchema } from '../../../../api/resources/tenants/schemas.js';
import { createRandom } from '../../../../shared/core/random.js';
import { createIdentifiers } from '../../../../shared/domain/core/identifiers.js';
import { lifeMarksOf, maximumLives, tenantKey } from '../../../../shared/domain/tenants/tenant.js';
import { webhookRecords } from '../../../../shared/log/records/webhooks.js';
import { tenantIdOf, type TenantDocument } from '../../../../shared/store/models/documents.js';
import { aliasCollection, type AliasDocument } from '../../../../shared/store/models/generations.js';
import { eventually } from '../../../support/eventually.js';
import { contextOf, testRecordId } from '../../../support/facts.js';
import { webhookCreated } from '../../../support/webhookFacts.js';
import { openAccount, type TestAccount } from '../../support/accounts.js';
import { startAnotherApi } from '../../support/anotherApi.js';
import { createClient, read, refusalOf, type Client, type Response } from '../../support/client.js';
import { openLogReader } from '../../support/records.js';

const identifiers = createIdentifiers(createRandom());

describe('the tenants of an account', () => {
  let account: TestAccount;
  let live: Client;
  before(async () => {
    account = await openAccount();
    live = account.live;
  });

  const pathOf = (id: string) => `/v1/tenants/${id}`;
  const put = (id: string, fields: object = {}, client = live) =>
    client.put(pathOf(id), JSON.stringify(fields));

  const nameOf = (response: Response) => read(response, tenantSchema).name;
  const metadataOf = (response: Response) => read(response, tenantSchema).metadata;

  const lifeOf = (id: string) =>
    account.service.withStores(async ({ models }) => {
      const { documents } = await models.tenants.findInAllAccounts([`${account.id}/live/${id}`]);
      return documents[0] ?? null;
    });

  /** Appends a webhook of a life of the tenant, and returns its id once the model contains it. */
  const addWebhook = (tenantId: string, tenancy: string) =>
    account.service.withStores(async ({ log, models }) => {
      const key = identifiers.create('wh', new Date());
      const id = identifiers.createRecordId(new Date());
      const { context: _context, ...fact } = webhookCreated();
      const context = contextOf(key, { id, accountId: account.id, tenantId, tenancy });
      await log.append(webhookRecords.encode(fact, context));
      await eventually(
        'the webhook',
        async () => (await models.webhooks.findInAllAccounts([key])).documents[0] ?? null,
      );
      return key;
    });

  /** Stores a tenant that was deleted this many times. */
  const storeDeleted = (tenantId: string, lives: number) =>
    account.service.withStores(async ({ mongo: { database } }) => {
      const context = contextOf(tenantKey(account.id, tenantId), { accountId: account.id });
      const owner = { accountId: account.id, mode: 'live', tenantId } as const;
      const [eventsFrom, eventsBelow] = [[0], [0]];
      const life = (number: number) => ({
        ...{ lifeId: testRecordId(number), eventsFrom, eventsBelow, deletedAt: context.at, isErased: true },
      });
      const ended = Array.from({ length: lives }, (_, number) => life(number));
      const alias = await database.collection<AliasDocument>(aliasCollection).findOne({ _id: 'tenants' });
      await database.collection<TenantDocument>(alias?.live ?? '').insertOne({
        ...owner,
        ...{ _id: tenantIdOf(account.id, 'live', tenantId), status: 'deleted', created: context.at },
        ...{ lifeId: testRecordId(lives), eventsFrom, revocations: 0, name: null, metadata: [] },
        ...{ ended, ...lifeMarksOf(ended), positions: {}, recordIds: [] },
      });
    });

  const webhookOf = (id: string) =>
    account.service.withStores(
      async ({ models }) => (await models.webhooks.findInAllAccounts([id])).documents[0],
    );

  it('are created with 201 and their fields, which are empty by default', async () => {
    const response = await put('new-1', { name: 'Acme', metadata: { 'a.b': '1', plan: 'gold' } });
    expect((await live.get(pathOf('new-1'))).text).to.equal(response.text);
    const { created: _created, ...tenant } = read(response, tenantSchema);
    const { created: _time, ...empty } = read(await put('new-2'), tenantSchema);

    expect([response.status, tenant, empty]).to.deep.equal([
      201,
      { id: 'new-1', name: 'Acme', metadata: { 'a.b': '1', plan: 'gold' }, mode: 'live' },
      { id: 'new-2', name: null, metadata: {}, mode: 'live' },
    ]);
  });

  it('keep the fields that a PUT leaves out, and reset those that it sends empty', async () => {
    await put('kept', { name: 'Acme', metadata: { plan: 'gold' } });
    const renamed = await put('kept', { name: 'Other' });
    const reset = await put('kept', { name: null, metadata: {} });

    expect([renamed.status, nameOf(renamed), metadataOf(renamed)]).to.deep.equal([
      200,
      'Other',
      { plan: 'gold' },
    ]);
    expect([nameOf(reset), metadataOf(reset)]).to.deep.equal([null, {}]);
  });

  it('need no record for a PUT without a difference', async () => {
    await put('same', { name: 'Acme' });
    const statuses = [(await put('same')).status, (await put('same', { name: 'Acme' })).status];

    // Other tests use the topic at the same time.
    const log = await openLogReader(account.service, ['tenants']);
    const records = await log.recordsOf('tenants', tenantKey(account.id, 'same'));
    expect([statuses, records.length]).to.deep.equal([[200, 200], 1]);
  });

  it('are rejected with an invalid id or field', async () => {
    for (const [id, fields, param] of [
      ['null', {}, 'id'],
      ['a b', {}, 'id'],
      ['x'.repeat(129), {}, 'id'],
      ['fields', { metadata: { a: 1 } }, 'metadata.a'],
    ] as const) {
      const response = await put(encodeURIComponent(id), fields);
      expect(refusalOf(response), id).to.equal(`400 parameter_invalid ${param}`);
    }
    const unknown = [await live.get(pathOf('a%20b')), await live.delete(pathOf('null'))];
    expect(unknown.map(({ status }) => status)).to.deep.equal([404, 404]);
  });

  it('are listed newest first, page by page, also from a deleted tenant', async () => {
    const { live: client } = await openAccount(account.service);
    for (const id of ['list-1', 'list-2', 'list-3', 'list-4']) {
      await put(id, {}, client);
    }
    await client.delete(pathOf('list-3'));
    const idsOf = async (query: string) =>
      read(await client.get(`/v1/tenants?${query}`), tenantListSchema).data.map(({ id }) => id);

    expect(await idsOf('limit=2')).to.deep.equal(['list-4', 'list-2']);
    expect(await idsOf('startingAfter=list-3')).to.deep.equal(['list-2', 'list-1']);
    expect((await client.get('/v1/tenants?startingAfter=list-9')).status).to.equal(400);
  });

  it('are found by a text in their id or name, without regard to case', async () => {
    await put('search-Alpha', { name: 'First (beta)' });
    await put('search-gamma', { name: 'Second' });
    const idsOf = async (search: string) =>
      read(await live.get(`/v1/tenants?search=${encodeURIComponent(search)}`), tenantListSchema).data.map(
        ({ id }) => id,
      );

    expect(await idsOf('SEARCH-alpha')).to.deep.equal(['search-Alpha']);
    expect(await idsOf('(BETA)')).to.deep.equal(['search-Alpha']);
    expect(await idsOf('.*')).to.deep.equal([]);
  });

  it('are in the audit log with what was changed', async () => {
    await put('audited', { name: 'A', metadata: { plan: 'gold' } });
    await live.delete(pathOf('audited'));
    const actions = await eventually('two entries', async () => {
      const { data } = read(await live.get('/v1/audit-log?limit=100'), auditLogSchema);
      const own = data.filter(({ resource }) => resource.type === 'tenant' && resource.id === 'audited');
      return own.length === 2 ? own : null;
    });
    expect(actions.map(({ action, changes }) => [action, changes])).to.deep.equal([
      ['tenant.deleted', {}],
      ['tenant.created', { name: { from: null, to: 'A' }, metadata: { from: null, to: '{"plan":"gold"}' } }],
    ]);
  });

  it('are created once if 20 requests to two APIs create the same tenant', async () => {
    const other = await startAnotherApi(account.service);
    const clients = [live, createClient(other.address, account.liveKey)];
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, index) => put('together', { name: 'Acme' }, clients[index % 2])),
    );
    const statuses = responses.map(({ status }) => status);
    expect([statuses.filter((status) => status === 201).length, new Set(statuses)]).to.deep.equal([
      1,
      new Set([201, 200]),
    ]);
  });

  describe('after their deletion', () => {
    it('are unknown, with their webhooks, and can be created again as another life', async () => {
      await put('deleted', { name: 'Acme' });
      const before = await lifeOf('deleted');
      const webhookId = await addWebhook('deleted', before?.lifeId ?? '');
      const removed = await live.delete(pathOf('deleted'));
      const again = [await live.get(pathOf('deleted')), await live.delete(pathOf('deleted'))];
      const created = await put('deleted');
      const after = await lifeOf('deleted');

      expect([JSON.parse(removed.text), again.map(({ status }) => status)]).to.deep.equal([
        { id: 'deleted', deleted: true },
        [404, 404],
      ]);
      expect(await webhookOf(webhookId)).to.deep.include({ status: 'deleted', reason: 'tenant_deleted' });
      expect([created.status, nameOf(created), after?.lifeId === before?.lifeId]).to.deep.equal([
        201,
        null,
        false,
      ]);
      expect(after?.ended.map(({ lifeId }) => lifeId)).to.deep.equal([before?.lifeId]);
    });

    it('lose a webhook that an interrupted deletion has left, before another life begins', async () => {
      await put('interrupted');
      const before = await lifeOf('interrupted');
      await live.delete(pathOf('interrupted'));
      const webhookId = await addWebhook('interrupted', before?.lifeId ?? '');
      await put('interrupted');

      expect(await webhookOf(webhookId)).to.deep.include({ status: 'deleted', reason: 'tenant_deleted' });
    });

    it('can be created again until their id has had its most lives', async () => {
      await storeDeleted('last', maximumLives - 1);
      await storeDeleted('ended', maximumLives);

      expect((await put('last')).status).to.equal(201);
      expect(refusalOf(await put('ended'))).to.equal('400 parameter_invalid id');
    });

    it('keep the webhooks of another life', async () => {
      await put('two-lives');
      await live.delete(pathOf('two-lives'));
      await put('two-lives');
      const webhookId = await addWebhook('two-lives', (await lifeOf('two-lives'))?.lifeId ?? '');
      await put('two-lives', { name: 'Acme' });

      expect(await webhookOf(webhookId)).to.include({ status: 'active' });
    });
  });
});
