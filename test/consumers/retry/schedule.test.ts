import { expect } from 'chai';

import { createClient, type Client } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { startReceiver, type ReceivedRequest, type Receiver } from '../../support/receiver.js';
import { startService, type TestService } from '../../support/service.js';

interface DeliveryAnswer {
  readonly status: string;
  readonly statusCode: number | null;
  readonly attemptCount: number;
  readonly nextAttemptAt: string | null;
}

describe('failed attempts', () => {
  let service: TestService;
  let client: Client;
  let receivers: Receiver[];

  before(async () => {
    service = await startService({ POSTRIDER_RETRY_SCHEDULE: '1s,2s,1s' });
  });

  after(() => service.stop());

  beforeEach(async () => {
    receivers = [];
    client = createClient(service.address, (await service.createAccount()).liveKey);
  });

  afterEach(() => Promise.all(receivers.map((receiver) => receiver.close())));

  /** A webhook that answers its attempts with these codes, one after the other, and then always with the last one. */
  const webhookAnswering = async (codes: readonly number[], headers: Record<string, string> = {}) => {
    const receiver = await startReceiver((_request, response) => {
      const code = codes[Math.min(receiver.requests.length, codes.length) - 1] ?? 200;
      response.writeHead(code, headers).end();
    });
    receivers.push(receiver);
    await client.post('/v1/webhooks', { url: receiver.url, events: ['*'] });
    return receiver;
  };

  const post = async () =>
    String((await client.post('/v1/events', { type: 'order.completed', data: { amount: 1 } })).body['id']);

  const deliveryOf = async (id: string): Promise<DeliveryAnswer | undefined> => {
    const { body } = await client.get(`/v1/events/${id}`);
    return (body['deliveries'] as readonly DeliveryAnswer[])[0];
  };

  const deliveryWith = (id: string, status: string) =>
    eventually(`the status ${status} of ${id}`, async () => {
      const delivery = await deliveryOf(id);
      return delivery?.status === status ? delivery : null;
    });

  const gaps = (requests: readonly ReceivedRequest[]) =>
    requests.slice(1).map(({ receivedAt }, index) => receivedAt - (requests[index]?.receivedAt ?? 0));

  it('are retried after each delay of the schedule, never early, until it is exhausted', async () => {
    const receiver = await webhookAnswering([500]);
    const id = await post();
    const delivery = await deliveryWith(id, 'failed');
    const waits = gaps(receiver.requests);
    expect(delivery).to.include({ statusCode: 500, attemptCount: 4, nextAttemptAt: null });
    expect(waits).to.have.lengthOf(3);
    for (const [index, delayMs] of [1000, 2000, 1000].entries()) {
      expect(waits[index]).to.be.at.least(delayMs);
    }
  });

  it('end with the first 2xx', async () => {
    const receiver = await webhookAnswering([500, 204]);
    const delivery = await deliveryWith(await post(), 'delivered');
    expect([delivery.attemptCount, receiver.requests.length]).to.deep.equal([2, 2]);
  });

  it('show when the next attempt is due', async () => {
    await webhookAnswering([500, 204]);
    const id = await post();
    const delivery = await deliveryWith(id, 'retrying');
    expect(Date.parse(delivery.nextAttemptAt ?? '') - Date.now()).to.be.at.most(1100);
  });

  it('send the same body under the same id', async () => {
    const receiver = await webhookAnswering([500, 204]);
    await deliveryWith(await post(), 'delivered');
    const sent = receiver.requests.map(({ headers, body }) => [headers['webhook-id'], body.toString()]);
    expect(sent[1]).to.deep.equal(sent[0]);
  });

  it('wait for the Retry-After of the receiver', async () => {
    const receiver = await webhookAnswering([429, 204], { 'retry-after': '4' });
    await deliveryWith(await post(), 'delivered');
    expect(gaps(receiver.requests)[0]).to.be.at.least(4000);
  });

  it('do not delay deliveries to other webhooks', async () => {
    await webhookAnswering([500]);
    const other = await webhookAnswering([204]);
    await post();
    expect(await other.received(1, 2000)).to.have.lengthOf(1);
  });
});
