import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';

import { createTypedClient, type TypedClient } from '../contract/typedClient.js';
import { createClient, type Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { startReceiver, type Receiver } from '../support/receiver.js';
import { sharedService } from '../support/service.js';

/** A number beyond 2^53, an order of keys that an object would change, white space, and escapes. */
const data = '{ "z":12345678901234567890.10, "1":[1e2, 0.1000],"a":"\\u00e9é\\/", "1":null }';

describe('the main job', () => {
  let client: Client;
  let testClient: Client;
  let typedClient: TypedClient;
  let receiver: Receiver;

  beforeEach(async () => {
    const service = await sharedService();
    const account = await service.createAccount();
    client = createClient(service.address, account.liveKey);
    testClient = createClient(service.address, account.testKey);
    typedClient = createTypedClient(service.address, account.liveKey);
    receiver = await startReceiver();
  });

  afterEach(() => receiver.close());

  const createWebhook = (events: readonly string[], owner = client) =>
    owner.post('/v1/webhooks', { url: receiver.url, events });

  const postEvent = async (type = 'order.completed', text = data) =>
    client.post('/v1/events', `{"type":"${type}","data":${text}}`);

  const retrieveEvent = async (id: string) => {
    const { data: event, error } = await typedClient.GET('/v1/events/{id}', { params: { path: { id } } });
    return event ?? expect.fail(JSON.stringify(error));
  };

  const deliveredEvent = (id: string) =>
    eventually(`the delivery of ${id}`, async () => {
      const event = await retrieveEvent(id);
      return event.deliveries.some(({ status }) => status !== 'pending') ? event : null;
    });

  it('delivers an event to a webhook that was created before it', async () => {
    await createWebhook(['order.completed']);
    const posted = await postEvent();
    const [request] = await receiver.received(1);
    expect(request?.body.toString()).to.equal(
      `{"id":"${String(posted.body['id'])}","type":"order.completed","timestamp":"${String(posted.body['created'])}","data":${data}}`,
    );
  });

  it('delivers an event to a webhook that was created right before it, while other events were being matched', async () => {
    const posting = Array.from({ length: 100 }, () => postEvent('user.signup'));
    await createWebhook(['order.completed']);
    const posted = await postEvent('order.completed');
    await Promise.all(posting);
    const [request] = await receiver.received(1);
    expect(request?.headers['webhook-id']).to.equal(posted.body['id']);
  });

  it('signs it by Standard Webhooks', async () => {
    const webhook = await createWebhook(['*']);
    const posted = await postEvent();
    const [request] = await receiver.received(1);
    const headers = request?.headers as Record<string, string>;
    const verified = new Webhook(String(webhook.body['secret'])).verify(request?.body ?? '', headers);
    expect(verified).to.include({ id: posted.body['id'] });
  });

  it('shows the delivery on the event', async () => {
    const webhook = await createWebhook(['*']);
    const posted = await postEvent();
    const [delivery] = (await deliveredEvent(String(posted.body['id']))).deliveries;
    expect({ ...delivery, deliveredAt: 'a time' }).to.deep.equal({
      webhookId: webhook.body['id'],
      status: 'delivered',
      statusCode: 200,
      deliveredAt: 'a time',
      attemptCount: 1,
      nextAttemptAt: null,
      error: null,
    });
  });

  it('returns the data byte for byte, in both responses', async () => {
    const posted = await postEvent();
    const found = await client.get(`/v1/events/${String(posted.body['id'])}`);
    expect([posted.text.includes(`"data":${data},`), found.text.includes(`"data":${data},`)]).to.deep.equal([
      true,
      true,
    ]);
  });

  it('finds an event right after its 201', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const posted = await postEvent();
        return (await client.get(`/v1/events/${String(posted.body['id'])}`)).status;
      }),
    );
    expect(new Set(statuses)).to.deep.equal(new Set([200]));
  });

  it('sends a webhook only its event types', async () => {
    await createWebhook(['user.signup']);
    await postEvent('order.completed');
    const wanted = await postEvent('user.signup');
    const requests = await receiver.received(1);
    expect(requests.map(({ headers }) => headers['webhook-id'])).to.deep.equal([wanted.body['id']]);
  });

  it('sends the events of all types below a prefix to a webhook that lists it', async () => {
    await createWebhook(['order.*']);
    await postEvent('order');
    await postEvent('orders.completed');
    const wanted = [await postEvent('order.completed'), await postEvent('order.item.added')];
    const requests = await receiver.received(2);
    expect(requests.map(({ headers }) => headers['webhook-id'])).to.have.members(
      wanted.map(({ body }) => body['id']),
    );
  });

  it('sends an event to every matching webhook, each with its own secret', async () => {
    const secrets = [];
    for (const events of [['*'], ['order.completed'], ['order.completed', 'user.signup']]) {
      secrets.push(String((await createWebhook(events)).body['secret']));
    }
    await postEvent();
    const requests = await receiver.received(3);
    const verifiedBy = secrets.map(
      (secret) =>
        requests.filter(({ headers, body }) => {
          try {
            new Webhook(secret).verify(body, headers as Record<string, string>);
            return true;
          } catch {
            return false;
          }
        }).length,
    );
    expect(verifiedBy).to.deep.equal([1, 1, 1]);
  });

  it('begins no attempt after the response to the deletion of a webhook', async () => {
    const webhook = await createWebhook(['*']);
    await Promise.all(Array.from({ length: 20 }, () => postEvent()));
    await client.delete(`/v1/webhooks/${String(webhook.body['id'])}`);
    const answeredAt = Date.now();
    const other = await createWebhook(['*']);
    const last = await postEvent();
    await eventually('the delivery to the other webhook', async () => {
      const { deliveries } = await retrieveEvent(String(last.body['id']));
      return deliveries.some(({ webhookId }) => webhookId === other.body['id']) ? true : null;
    });
    const late = receiver.requests.filter(
      ({ headers, receivedAt }) => receivedAt > answeredAt && headers['webhook-id'] !== last.body['id'],
    );
    expect(late).to.deep.equal([]);
  });

  it('works with a client that is generated from the OpenAPI document', async () => {
    const body = { url: receiver.url, events: ['user.signup'] };
    const webhook = (await typedClient.POST('/v1/webhooks', { body })).data;
    const event = (
      await typedClient.POST('/v1/events', { body: { type: 'user.signup', data: { userId: 7 } } })
    ).data;
    await receiver.received(1);
    const { deliveries } = await deliveredEvent(event !== undefined && 'id' in event ? event.id : '');
    expect(deliveries.map(({ webhookId }) => webhookId)).to.deep.equal([webhook?.id]);
  });

  it('records a failed attempt with its error code', async () => {
    await receiver.close();
    await createWebhook(['*']);
    const posted = await postEvent();
    const [delivery] = (await deliveredEvent(String(posted.body['id']))).deliveries;
    expect(delivery).to.deep.include({ statusCode: null, deliveredAt: null });
  });

  it('never delivers a test event', async () => {
    await createWebhook(['*'], testClient);
    await createWebhook(['*']);
    await testClient.post('/v1/events', { type: 'order.completed', data: {} });
    const live = await postEvent();
    const requests = await receiver.received(1);
    expect(requests.map(({ headers }) => headers['webhook-id'])).to.deep.equal([live.body['id']]);
  });

  it('does not deliver events that were posted before the webhook was created', async () => {
    await postEvent();
    await createWebhook(['*']);
    const later = await postEvent();
    const requests = await receiver.received(1);
    expect(requests.map(({ headers }) => headers['webhook-id'])).to.deep.equal([later.body['id']]);
  });
});
