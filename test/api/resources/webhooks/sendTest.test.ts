import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { z } from 'zod';

import { attemptListSchema } from '../../../../api/resources/attempts/routes.js';
import { eventSchema } from '../../../../api/resources/events/routes.js';
import { testDeliverySchema } from '../../../../api/resources/webhooks/schemas.js';
import { eventually } from '../../../support/eventually.js';
import { startReceiver, type Receiver } from '../../../support/receiver.js';
import { openAccount, type TestAccount } from '../../support/accounts.js';
import { read, refusalOf, type Client } from '../../support/client.js';
import { createWebhook } from '../../support/webhooks.js';

describe('POST /v1/webhooks/{id}/test', () => {
  let account: TestAccount;
  let live: Client;
  let receiver: Receiver;
  let failing: Receiver;
  before(async () => {
    account = await openAccount();
    live = account.live;
    receiver = await startReceiver();
    failing = await startReceiver((_request, response) => response.writeHead(500).end());
  });

  const send = async (webhookId: string, body: unknown = {}) => {
    const answer = await live.postJson(`/v1/webhooks/${webhookId}/test`, body);
    return { status: answer.status, ...read(answer, testDeliverySchema) };
  };

  it('sends a signed event of the type webhook.test, whatever types the webhook subscribes to', async () => {
    const webhook = await createWebhook(live, { url: receiver.url, events: ['something.else'] });
    const { status, eventId } = await send(webhook.id);
    const [request] = await receiver.received(1);
    const signed = z.record(z.string(), z.string()).parse(request?.headers);
    const body = new Webhook(webhook.secret).verify(request?.body.toString() ?? '', signed);

    expect([status, request?.headers['webhook-id']]).to.deep.equal([202, eventId]);
    expect(body).to.deep.include({ id: eventId, type: 'webhook.test' });
  });

  it('makes one attempt, which is not retried and goes to no other webhook', async () => {
    const webhook = await createWebhook(live, { url: failing.url, events: ['nothing'] });
    await createWebhook(live, { url: receiver.url, events: ['*'] });
    const { eventId } = await send(webhook.id, { type: 'order.completed' });
    const event = await eventually('the outcome', async () => {
      const found = read(await live.get(`/v1/events/${eventId}`), eventSchema);
      return found.deliveries.some(({ status }) => status !== 'pending') ? found : null;
    });
    const shown = event.deliveries.map(({ webhookId, status }) => [webhookId, status]);
    const attempts = await eventually('the attempt', async () => {
      const { data } = read(await live.get(`/v1/webhooks/${webhook.id}/attempts`), attemptListSchema);
      return data.length > 0 ? data : null;
    });

    expect([event.type, shown, attempts.length]).to.deep.equal([
      'order.completed',
      [[webhook.id, 'failed']],
      1,
    ]);
    expect(attempts[0]).to.include({ eventId, trigger: 'test', status: 'failed', statusCode: 500 });
  });

  it('sends the given data byte for byte', async () => {
    const webhook = await createWebhook(live, { url: receiver.url, events: ['nothing'] });
    const data = '{"amount":1234567890123456789.10, "amount2":[]}';
    const sent = await live.post(`/v1/webhooks/${webhook.id}/test`, `{"type":"order.test","data":${data}}`);
    const { eventId } = read(sent, testDeliverySchema);
    const request = await eventually('the request', () =>
      Promise.resolve(receiver.requests.find(({ headers }) => headers['webhook-id'] === eventId) ?? null),
    );

    expect(request.body.toString()).to.contain(`"type":"order.test"`).and.contain(`"data":${data}}`);
  });

  it('is rejected while the webhook is disabled', async () => {
    const { id } = await createWebhook(live, { url: receiver.url, events: ['nothing'] });
    // The test needs no body.
    expect((await live.post(`/v1/webhooks/${id}/test`, '', {})).status).to.equal(202);
    await live.patchJson(`/v1/webhooks/${id}`, { status: 'disabled' });

    expect(refusalOf(await live.postJson(`/v1/webhooks/${id}/test`, {}))).to.equal('409 webhook_disabled');
  });

  it('is rejected in test mode before other checks', async () => {
    expect(refusalOf(await account.test.post('/v1/webhooks/wh_1/test?a=1', '['))).to.equal(
      '400 test_mode_unsupported',
    );
  });

  it('is rejected for an unknown webhook, after the check of the body', async () => {
    const path = '/v1/webhooks/wh_1/test';
    expect(refusalOf(await live.postJson(path, { data: [] }))).to.equal('400 parameter_invalid data');
    expect(refusalOf(await live.postJson(path, {}))).to.equal('404 resource_missing');
  });
});
