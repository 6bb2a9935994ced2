import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';

import { createTypedClient, type TypedClient } from '../contract/typedClient.js';
import { createClient, type Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { startReceiver, type ReceivedRequest } from '../support/receiver.js';
import { sharedService } from '../support/service.js';

/** A number beyond 2^53, an order of keys that an object would change, white space, and escapes. */
const data = '{ "z":12345678901234567890.10, "1":[1e2, 0.1000],"a":"\\u00e9é\\/", "1":null }';

describe('the main job', () => {
  let client: Client;
  let testClient: Client;
  let typedClient: TypedClient;

  before(async () => {
    const service = await sharedService();
    const account = await service.createAccount();
    client = createClient(service.address, account.liveKey);
    testClient = createClient(service.address, account.testKey);
    typedClient = createTypedClient(service.address, account.liveKey);
  });

  const createWebhook = async (url: string, ...events: string[]) => {
    const { data: webhook, error } = await typedClient.POST('/v1/webhooks', { body: { url, events } });
    return webhook ?? expect.fail(JSON.stringify(error));
  };

  const post = (type: string, owner = client) =>
    owner.post('/v1/events', `{"type":"${type}","data":${data}}`);

  /** The event with all its deliveries, once each has been attempted. */
  const settledEvent = (id: string) =>
    eventually(`the deliveries of ${id}`, async () => {
      const found = await typedClient.GET('/v1/events/{id}', { params: { path: { id } } });
      const event = found.data ?? expect.fail(JSON.stringify(found.error));
      const hasEnded = event.deliveries.every(({ status }) => status === 'delivered');
      return event.deliveriesComplete && hasEnded ? event : null;
    });

  const isSignedWith = (secret: string, { headers, body }: ReceivedRequest) => {
    try {
      new Webhook(secret).verify(body, headers as Record<string, string>);
      return true;
    } catch {
      return false;
    }
  };

  it('delivers an event to each webhook that matches its type, byte for byte, with its signature by Standard Webhooks', async () => {
    const receiver = await startReceiver();
    const matching = [];
    for (const types of [['main.job.done'], ['main.job.*'], ['main.job.done', 'other.type']]) {
      matching.push(await createWebhook(receiver.url, ...types));
    }
    await createWebhook(receiver.url, 'main.job', 'main.jobs.*', 'other.type');
    const posted = await post('main.job.done');
    const id = String(posted.body['id']);
    const { deliveries } = await settledEvent(id);
    const created = String(posted.body['created']);
    const body = `{"id":"${id}","type":"main.job.done","timestamp":"${created}","data":${data}}`;

    expect(deliveries.map(({ webhookId }) => webhookId)).to.have.members(matching.map((one) => one.id));
    expect({ ...deliveries[0], webhookId: 'one', deliveredAt: 'a time' }).to.deep.equal({
      ...{ webhookId: 'one', status: 'delivered', statusCode: 200, deliveredAt: 'a time' },
      ...{ attemptCount: 1, nextAttemptAt: null, error: null },
    });
    expect(receiver.requests.map((request) => String(request.body))).to.deep.equal([body, body, body]);
    for (const { secret } of matching) {
      expect(receiver.requests.filter((request) => isSignedWith(secret, request))).to.have.length(1);
    }
  });

  it('returns the data byte for byte, in both responses', async () => {
    const posted = await post('to.return');
    const found = await client.get(`/v1/events/${String(posted.body['id'])}`);
    for (const { text } of [posted, found]) {
      expect(text).to.include(`"data":${data},`);
    }
  });

  it('finds an event right after its 201', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const posted = await post('to.find');
        return (await client.get(`/v1/events/${String(posted.body['id'])}`)).status;
      }),
    );
    expect(new Set(statuses)).to.deep.equal(new Set([200]));
  });

  it('begins no attempt after the response to the deletion of a webhook', async () => {
    const receiver = await startReceiver();
    const webhook = await createWebhook(receiver.url, 'deletion.begun');
    await Promise.all(Array.from({ length: 20 }, () => post('deletion.begun')));
    await client.delete(`/v1/webhooks/${webhook.id}`);
    const answeredAt = Date.now();
    const other = await createWebhook(receiver.url, 'deletion.begun');
    const last = String((await post('deletion.begun')).body['id']);
    const { deliveries } = await settledEvent(last);
    const late = receiver.requests.filter(
      ({ headers, receivedAt }) => receivedAt > answeredAt && headers['webhook-id'] !== last,
    );

    expect(deliveries.map(({ webhookId }) => webhookId)).to.deep.equal([other.id]);
    expect(late).to.deep.equal([]);
  });

  it('delivers neither events from before the webhook was created nor test events', async () => {
    const receiver = await startReceiver();
    const early = String((await post('from.now.on')).body['id']);
    await createWebhook(receiver.url, 'from.now.on');
    await testClient.post('/v1/webhooks', { url: receiver.url, events: ['*'] });
    await post('from.now.on', testClient);
    const later = String((await post('from.now.on')).body['id']);
    await settledEvent(later);

    expect((await settledEvent(early)).deliveries).to.deep.equal([]);
    expect(receiver.requests.map(({ headers }) => headers['webhook-id'])).to.deep.equal([later]);
  });
});
