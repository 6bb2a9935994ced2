import { expect } from 'chai';

import { Postrider, type Fetch } from '../../../clients/typescript/src/index.js';
import { checkExchange } from '../../contract/exchange.js';
import { eventually } from '../../support/eventually.js';
import { startReceiver } from '../../support/receiver.js';
import { startService } from '../../support/service.js';
import { operationIds, operationOf } from '../everyOperation.js';

describe('the methods of the TypeScript library', () => {
  it('call every operation of the service, which accepts each request', async () => {
    const service = await startService();
    const receiver = await startReceiver();
    const { liveKey } = await service.createAccount();
    const called = new Set<string>();
    const connect = (key: string) => {
      return new Postrider(key, { baseUrl: service.address, fetch: checkingFetch(called) });
    };
    const postrider = connect(liveKey);

    await callAccount(postrider);
    await callTenants(postrider, connect);
    await callEventTypes(postrider);
    const webhookId = await callWebhooks(postrider, receiver.url);
    await callEvents(postrider, webhookId);
    await callReplays(postrider, webhookId);
    await postrider.webhooks.delete(webhookId);

    expect([...called].sort()).to.deep.equal(operationIds);
  });
});

/** Sends requests, checks that their responses are successful and described, and adds their operation ids to a set. */
function checkingFetch(called: Set<string>): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    const { pathname, search } = new URL(url);
    const method = init.method ?? 'GET';
    const operation = operationOf(method, pathname);
    called.add(operation?.id ?? `${method} ${pathname}`);
    if (operation?.result.kind !== 'stream') {
      const { status, headers } = response;
      const text = await response.clone().text();
      expect(status, `${method} ${pathname}: ${text}`).to.be.below(300);
      const header = (name: string) => headers.get(name);
      checkExchange({ method, path: `${pathname}${search}`, status, header, text });
    }
    return response;
  };
}

async function callAccount({ account, users, apiKeys, auditLog }: Postrider): Promise<void> {
  await account.retrieve();
  await account.update({ portal: { name: 'Shop' } });
  await users.list();
  const { id } = await apiKeys.create({ name: 'Backend' });
  await apiKeys.list();
  await apiKeys.delete(id);
  await auditLog.list({ resourceType: 'api_key', createdGte: new Date(0) });
}

async function callTenants({ tenants }: Postrider, connect: (key: string) => Postrider): Promise<void> {
  // `put` also serves the form without a body.
  await tenants.put('customer:42');
  await tenants.retrieve('customer:42');
  await tenants.list({ search: 'customer' });
  const { token } = await tenants.createPortalSession('customer:42', { expiresIn: 600 });
  await connect(token).portalSession.retrieve();
  await tenants.deletePortalSessions('customer:42');
  await tenants.delete('customer:42');
}

async function callEventTypes({ eventTypes }: Postrider): Promise<void> {
  const name = 'order.refunded';
  const schema = { type: 'object', required: ['orderId'] };
  const { checked } = await eventTypes.dryRun(name, { schema });
  expect(checked).to.equal(0);
  await eventTypes.put(name, { schema, examples: [{ orderId: 'ord_1' }], validation: 'warn' });
  await eventTypes.retrieve(name);
  await eventTypes.list({ include: 'usage' });
  await eventTypes.usage(name, { days: 1 });
  await eventTypes.catalog();
  await eventTypes.delete(name);
}

async function callWebhooks({ webhooks, deliveryHealth }: Postrider, url: string): Promise<string> {
  const { id } = await webhooks.create({ url, events: ['order.*'] });
  await webhooks.retrieve(id);
  await webhooks.update(id, { auth: { type: 'bearer', token: 'secret' }, format: 'thin' });
  await webhooks.list({ include: 'health' });
  await webhooks.rotateSecret(id, { expiresIn: 0 });
  await webhooks.test(id);
  await webhooks.preview(id, { type: 'order.completed', data: {} });
  await webhooks.health(id);
  await deliveryHealth.retrieve();
  return id;
}

async function callEvents(
  { events, webhooks, attempts, stats }: Postrider,
  webhookId: string,
): Promise<void> {
  const { id: lastEventId } = await events.create({ type: 'order.completed', data: {} });
  const { id } = await events.create({ type: 'order.completed', data: {} });
  // From a known event on, because a stream without one misses what precedes its connection.
  for await (const event of events.stream({ types: 'order.*', lastEventId })) {
    if (event.id === id) {
      break;
    }
  }
  await events.createBatch({ events: [{ type: 'order.completed', data: {} }] });
  await eventually('the delivery of the event', async () => {
    const { deliveries } = await events.retrieve(id);
    return deliveries.some(({ status }) => status === 'delivered') ? true : null;
  });
  await events.list({ type: ['order.*', 'invoice.paid'], webhookId });
  await events.resend(id);
  await events.listAttempts(id);
  await webhooks.listAttempts(webhookId);
  await attempts.list({ status: 'succeeded' });
  await stats.deliveries({ bucket: 'minute' });
}

async function callReplays({ replays }: Postrider, webhookId: string): Promise<void> {
  const selected = { webhookId, since: new Date(0), only: 'all' } as const;
  const { matched } = await replays.dryRun(selected);
  expect(matched).to.be.greaterThan(0);
  const { id } = await replays.create(selected);
  await replays.list({ webhookId });
  await replays.retrieve(id);
  await replays.cancel(id);
}
