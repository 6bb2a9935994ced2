import { expect } from 'chai';

import { createRandom } from '../../shared/core/random.js';
import { createIdentifiers } from '../../shared/domain/core/identifiers.js';
import { tenantKey } from '../../shared/domain/tenants/tenant.js';
import { tenantRecords } from '../../shared/log/records/tenants.js';
import { tenantIdOf } from '../../shared/store/models/documents.js';
import { createClient, type Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { testActor } from '../support/facts.js';
import { startReceiver, type ReceivedRequest, type Receiver } from '../support/receiver.js';
import { sharedService, type SharedService } from '../support/service.js';

const identifiers = createIdentifiers(createRandom());

/** Creates tenants, and returns once the API knows them. */
async function createTenants(service: SharedService, accountId: string, ...ids: readonly string[]) {
  const at = new Date();
  const value = { name: null, metadata: {}, eventsFrom: [], eventsFromIds: [], actor: testActor };
  await service.withStores(async ({ log, models }) => {
    for (const tenantId of ids) {
      const context = {
        id: identifiers.createRecordId(at),
        key: tenantKey(accountId, tenantId),
        accountId,
        at,
      };
      await log.append(
        tenantRecords.encode(
          { type: 'postrider.tenant.created', value },
          { ...context, mode: 'live', tenantId },
        ),
      );
    }
    const documents = ids.map((tenantId) => tenantIdOf(accountId, 'live', tenantId));
    await eventually('the tenants', async () =>
      (await models.tenants.findInAllAccounts(documents)).documents.length === ids.length ? true : null,
    );
  });
}

type Tenant = string | null | undefined;

interface ShownEvent {
  readonly tenantId: unknown;
  readonly deliveries: readonly Record<string, unknown>[];
}

/** The tenants that the delivered events name, in the order of their ids. */
function tenantsIn(requests: readonly ReceivedRequest[]): readonly unknown[] {
  const bodies = requests.map(({ body }) => JSON.parse(body.toString()) as Record<string, unknown>);
  return bodies
    .toSorted((one, other) => (String(one['id']) < String(other['id']) ? -1 : 1))
    .map(({ tenantId }) => tenantId);
}

describe('the events of tenants', () => {
  let client: Client;
  let address: string;
  let liveKey: string;
  let everyone: Receiver;
  let platform: Receiver;
  let customer: Receiver;

  const openReceiver = async (tenantId: Tenant) => {
    const receiver = await startReceiver();
    await client.post('/v1/webhooks', { url: receiver.url, events: ['*'], tenantId });
    return receiver;
  };

  const post = async (tenantId: Tenant) => {
    const { body } = await client.post('/v1/events', { type: 'order.completed', data: {}, tenantId });
    return String(body['id']);
  };

  const complete = (id: string) =>
    eventually<ShownEvent>(`the deliveries of ${id}`, async () => {
      const { body } = await client.get(`/v1/events/${id}`);
      const deliveries = body['deliveries'] as readonly Record<string, unknown>[];
      const hasEnded = deliveries.every(({ status }) => status === 'delivered');
      return body['deliveriesComplete'] === true && hasEnded
        ? { tenantId: body['tenantId'], deliveries }
        : null;
    });

  before(async () => {
    const service = await sharedService();
    ({ address } = service);
    const account = await service.createAccount();
    ({ liveKey } = account);
    client = createClient(address, liveKey);
    await createTenants(service, account.id, 'customer-1');
    everyone = await openReceiver('*');
    platform = await openReceiver(null);
    customer = await openReceiver('customer-1');
  });

  it('reach the webhooks of their tenant and of every tenant, and events without a tenant those without one', async () => {
    const ids = [await post('customer-1'), await post(null), await post('customer-2'), await post(undefined)];
    const events = await Promise.all(ids.map(complete));
    const shown = events.map((event) => [event.tenantId, event.deliveries.length]);
    expect(shown).to.deep.equal([
      ['customer-1', 2],
      [null, 2],
      ['customer-2', 1],
      [null, 2],
    ]);
    expect([everyone, platform, customer].map(({ requests }) => tenantsIn(requests))).to.deep.equal([
      ['customer-1', undefined, 'customer-2', undefined],
      [undefined, undefined],
      ['customer-1'],
    ]);
  });

  it('are listed by tenant, and `null` lists the events without a tenant', async () => {
    const id = await post('customer-3');
    await complete(id);
    const listed = async (query: string) => {
      const { body } = await client.get(`/v1/events?limit=100&${query}`);
      return (body['data'] as readonly Record<string, unknown>[]).map((event) => event['tenantId']);
    };
    expect(await listed('tenantId=customer-3')).to.deep.equal(['customer-3']);
    expect(await listed('tenantId=customer-3&deliveryStatus=delivered')).to.deep.equal(['customer-3']);
    expect(await listed('tenantId=customer-3&type=order.completed')).to.deep.equal(['customer-3']);
    expect(await listed('tenantId=customer-3&search=evt_')).to.deep.equal(['customer-3']);
    expect(await listed('tenantId=customer-4')).to.deep.equal([]);
    expect(new Set(await listed('tenantId=null'))).to.deep.equal(new Set([null]));
  });

  it('may be posted in a batch and as CloudEvents, with the extension `tenantid`', async () => {
    const cloudEvent = {
      specversion: '1.0',
      id: '1',
      source: '/shop',
      type: 'a',
      data: {},
      tenantid: 'shop',
    };
    const batch = await client.post('/v1/events/batch', {
      events: [{ type: 'a', data: {}, tenantId: 'shop' }],
    });
    const single = await fetch(`${address}/v1/events`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${liveKey}`, 'Content-Type': 'application/cloudevents+json' },
      body: JSON.stringify(cloudEvent),
    });
    const posted = (await single.json()) as Record<string, unknown>;
    const [result] = batch.body['data'] as readonly { readonly event: Record<string, unknown> }[];
    expect([result?.event['tenantId'], posted['tenantId']]).to.deep.equal(['shop', 'shop']);
    expect((await complete(String(posted['id']))).tenantId).to.equal('shop');
  });

  it('with an idempotency key are not those of another tenant', async () => {
    const postWith = (tenantId: string) =>
      client.post('/v1/events/batch', { events: [{ type: 'a', data: {}, tenantId, idempotencyKey: 'one' }] });
    await postWith('customer-5');
    const { text } = await postWith('customer-6');
    expect(text).to.include('idempotency_key_reused');
  });

  it('are rejected if the tenant is not valid', async () => {
    for (const tenantId of ['null', '*', '.', '..', '', 'a/b', 'x'.repeat(129), 5]) {
      const { status, body } = await client.post('/v1/events', { type: 'a', data: {}, tenantId });
      const { code, param } = body['error'] as Record<string, unknown>;
      expect([status, code, param], String(tenantId)).to.deep.equal([400, 'parameter_invalid', 'tenantId']);
    }
  });

  it('of a test delivery have the tenant of the webhook, and none for a webhook of every tenant', async () => {
    const testOf = async (tenantId: string) => {
      const { body } = await client.get(`/v1/webhooks?tenantId=${tenantId}`);
      const [webhook] = body['data'] as readonly Record<string, unknown>[];
      const sent = await client.post(`/v1/webhooks/${String(webhook?.['id'])}/test`, {});
      const event = await complete(String(sent.body['eventId']));
      return [event.tenantId, event.deliveries.length];
    };
    expect([await testOf('*'), await testOf('customer-1')]).to.deep.equal([
      [null, 1],
      ['customer-1', 1],
    ]);
  });

  it('are counted and resent by a replay to a webhook of their tenant only', async () => {
    const { body } = await client.get('/v1/webhooks?tenantId=customer-1');
    const [webhook] = body['data'] as readonly Record<string, unknown>[];
    const replay = { webhookId: webhook?.['id'], since: '2020-01-01T00:00:00Z', only: 'all', dryRun: true };
    const posted = await post('customer-1');
    await complete(posted);
    const listed = await client.get('/v1/events?tenantId=customer-1&limit=100');
    const events = (listed.body['data'] as readonly Record<string, unknown>[]).filter(
      ({ type }) => type !== 'webhook.test',
    );
    const counted = await client.post('/v1/replays', replay);
    expect(counted.body['matched']).to.equal(events.length);

    const before = customer.requests.length;
    const resent = await client.post(`/v1/events/${posted}/resend`, { webhookId: webhook?.['id'] });
    await customer.received(before + 1);
    expect([resent.status, resent.body['tenantId']]).to.deep.equal([202, 'customer-1']);
  });
});

describe('the webhooks of a tenant', () => {
  let client: Client;
  const url = 'https://example.com/';

  const create = (tenantId: Tenant) => client.post('/v1/webhooks', { url, events: ['*'], tenantId });
  const listed = async (query: string) => {
    const { body } = await client.get(`/v1/webhooks${query}`);
    return (body['data'] as readonly Record<string, unknown>[]).map(({ tenantId }) => tenantId);
  };

  before(async () => {
    const service = await sharedService();
    const account = await service.createAccount();
    client = createClient(service.address, account.liveKey);
    await createTenants(service, account.id, 'customer-1', 'customer-2');
    await create(null);
    await create('*');
    await create('customer-1');
  });

  it('are not created for a tenant that does not exist', async () => {
    const { status, body } = await create('unknown');
    const { code, param } = body['error'] as Record<string, unknown>;
    expect([status, code, param]).to.deep.equal([400, 'tenant_unknown', 'tenantId']);
  });

  it('are listed by `tenantId`, also those of every tenant and those without one', async () => {
    expect([
      await listed(''),
      await listed('?tenantId=*'),
      await listed('?tenantId=null'),
      await listed('?tenantId=customer-1'),
      await listed('?tenantId=customer-2'),
      await listed('?tenantId=unknown'),
    ]).to.deep.equal([['customer-1', '*', null], ['*'], [null], ['customer-1'], [], []]);
  });

  it('keep their `tenantId`', async () => {
    const { body } = await client.get('/v1/webhooks?tenantId=*');
    const [webhook] = body['data'] as readonly Record<string, unknown>[];
    const changed = await client.patch(`/v1/webhooks/${String(webhook?.['id'])}`, { tenantId: null });
    expect((changed.body['error'] as Record<string, unknown>)['code']).to.equal('parameter_unknown');
  });

  it('are counted by delivery health alone, and unknown tenants give zeros', async () => {
    const totals = async (query: string) => {
      const { body } = await client.get(`/v1/delivery-health${query}`);
      return (body['webhooks'] as Record<string, unknown>)['healthy'];
    };
    expect([
      await totals(''),
      await totals('?tenantId=null'),
      await totals('?tenantId=*'),
      await totals('?tenantId=customer-1'),
      await totals('?tenantId=unknown'),
    ]).to.deep.equal([3, 1, 1, 1, 0]);
  });
});
