import { eventually } from '../../support/eventually.js';
import { startReceiver, type Receiver } from '../../support/receiver.js';
import { untilListed } from './untilListed.js';
import type { Visit } from './visitor.js';

/** An account with delivered and failed deliveries. */
export interface Seeded {
  readonly good: Receiver;
  readonly bad: Receiver;
  readonly goodId: string;
  readonly badId: string;
  readonly eventId: string;
  /** The first attempt to deliver the event to the bad receiver. */
  readonly attemptId: string;
  readonly typeName: string;
  /** A tenant with a webhook and an event. */
  readonly tenantId: string;
  /** Changes the status of the bad receiver. */
  readonly answer: (status: number) => void;
}

/** Markup that has an effect if it is not escaped. */
export const hostile = '<img src=x onerror="document.title=\'taken\'"><script>alert(1)</script>';
/** JSON with a number that JavaScript cannot represent, and with names that are numbers. */
export const hostileData = `{"9":"nine","1":12345678901234567890.10,"html":${JSON.stringify(hostile)}}`;

export async function seed({ client }: Visit): Promise<Seeded> {
  let status = 500;
  const good = await startReceiver();
  const bad = await startReceiver((_request, response) => {
    response.writeHead(status).end(hostile);
  });
  const create = async (url: string, description: string) => {
    const { body } = await client.post('/v1/webhooks', { url, events: ['*'], description });
    return String(body['id']);
  };
  const goodId = await create(`${good.url}?${'a-long-part-of-an-address-'.repeat(8)}`, 'Orders');
  const badId = await create(`${bad.url}?q=<b>bold</b>`, hostile);
  const { body } = await client.post('/v1/events', `{"type":"order.completed","data":${hostileData}}`);
  const eventId = String(body['id']);
  await client.post('/v1/api-keys', { name: hostile });
  const typeName = 'order.completed';
  await client.put(`/v1/event-types/${typeName}`, { description: hostile, validation: 'off' });
  const tenantId = 'customer-42:de.1';
  await client.put(`/v1/tenants/${tenantId}`, {
    name: hostile,
    metadata: { [hostile.slice(0, 40)]: hostile },
  });
  await client.post('/v1/webhooks', {
    url: `${good.url}/tenant`,
    events: ['*'],
    description: hostile,
    tenantId,
  });
  await client.post('/v1/events', { type: 'tenant.joined', data: {}, tenantId });
  await eventually('an outcome at both webhooks', async () => {
    const event = await client.get(`/v1/events/${eventId}`);
    return event.text.includes('"retrying"') && event.text.includes('"delivered"') ? true : null;
  });
  // Each list has its own read model.
  await untilListed(client, '/v1/attempts', goodId, badId, `${good.url}/tenant`);
  await untilListed(client, '/v1/events', 'order.completed', 'tenant.joined');
  await untilListed(client, '/v1/audit-log', goodId, badId, typeName, tenantId);
  const attempts = await client.get(`/v1/events/${eventId}/attempts?webhookId=${badId}`);
  const attemptId = /"id":"(att_\w+)"[^}]*"number":1,/.exec(attempts.text)?.[1] ?? '';
  return {
    good,
    bad,
    goodId,
    badId,
    eventId,
    attemptId,
    typeName,
    tenantId,
    answer: (next) => {
      status = next;
    },
  };
}
