import { eventually } from '../../support/eventually.js';
import { startReceiver } from '../../support/receiver.js';
import type { Visit } from './visitor.js';

/** The account of a typical shop: most events are delivered, and one webhook fails. */
export interface Shop {
  readonly failingId: string;
  /** A tenant with webhooks and events. */
  readonly tenantId: string;
  /** An event that was not delivered to the failing webhook. */
  readonly failedId: string;
  readonly close: () => Promise<void>;
}

const types = ['order.completed', 'user.signup', 'invoice.paid', 'order.refunded', 'subscription.updated'];
const eventCount = 40;

export async function seedShop({ client, testClient }: Visit): Promise<Shop> {
  const good = await startReceiver();
  const bad = await startReceiver((_request, response) => {
    response
      .writeHead(503, { 'content-type': 'application/json' })
      .end('{"error":"upstream connect error or disconnect before headers"}');
  });
  const create = async (url: string, events: readonly string[], description: string) => {
    const { body } = await client.post('/v1/webhooks', { url, events, description });
    return String(body['id']);
  };
  await create(`${good.url}/orders`, ['*'], 'Order service. On call: team checkout');
  await create(
    `${good.url}/warehouse?region=eu-central-1`,
    ['order.completed', 'order.refunded'],
    'Warehouse',
  );
  const failingId = await create(
    `${bad.url}/api/v2/inbound/receive?tenant=8d1f0c9b2a7e4d`,
    ['order.completed', 'invoice.paid'],
    'Customer records',
  );
  const tenantId = await seedTenants(client, { good: good.url, bad: bad.url });
  const ids: string[] = [];
  for (let number = 0; number < eventCount; number += 1) {
    const type = types[number % types.length];
    const data = `{"orderId":"ord_${8100 + number}","amount":${1200 + number * 37},"currency":"eur","customer":{"id":"cus_${number}","vip":${number % 3 === 0},"referrer":null},"items":[{"sku":"A-${number}","count":2}]}`;
    const { body } = await client.post('/v1/events', `{"type":"${type ?? ''}","data":${data}}`);
    ids.push(String(body['id']));
  }
  await client.post('/v1/api-keys', { name: 'Shop, production' });
  await client.post('/v1/api-keys', { name: 'Reporting', scopes: ['events:read', 'webhooks:read'] });
  await testClient.post('/v1/events', { type: 'order.completed', data: { orderId: 'ord_test' } });
  const failedId = ids.findLast((_id, index) => index % types.length === 0) ?? '';
  await eventually('a second attempt', async () => {
    const { body } = await client.get(`/v1/events/${failedId}/attempts?webhookId=${failingId}`);
    return Array.isArray(body['data']) && body['data'].length > 1 ? true : null;
  });
  return {
    failingId,
    tenantId,
    failedId,
    close: async () => {
      await good.close();
      await bad.close();
    },
  };
}

/** The customers of the shop. The newest of them has webhooks and events. */
async function seedTenants(
  client: Visit['client'],
  urls: { readonly good: string; readonly bad: string },
): Promise<string> {
  const customers = [
    ['globex-7', 'Globex GmbH', 'silver'],
    ['initech', null, 'free'],
    ['umbrella:eu', 'Umbrella Europe', 'gold'],
    ['customer-42', 'Acme Ltd', 'gold'],
  ] as const;
  for (const [id, name, plan] of customers) {
    await client.put(`/v1/tenants/${id}`, { name, metadata: { plan, region: 'eu-central-1' } });
  }
  const tenantId = customers[3][0];
  for (const [url, name] of [
    [`${urls.good}/acme`, 'Acme, orders'],
    [`${urls.bad}/acme/invoices`, null],
  ] as const) {
    await client.post('/v1/webhooks', { url, name, events: ['*'], tenantId });
  }
  for (const type of ['order.completed', 'invoice.paid', 'order.refunded']) {
    await client.post('/v1/events', { type, data: { orderId: 'ord_acme' }, tenantId });
  }
  return tenantId;
}
