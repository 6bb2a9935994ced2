import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';

import { attemptListSchema } from '../../../api/resources/attempts/routes.js';
import { read } from '../../api/support/client.js';
import { eventually } from '../../support/eventually.js';
import type { ReceivedRequest } from '../../support/receiver.js';
import { serviceWithReplays, type ReplayActions } from '../sources/serviceWithReplays.js';

/** The headers of a request with another prefix, as the package reads them. */
function standardHeaders({ headers }: ReceivedRequest, prefix: string): Record<string, string> {
  const parts = ['id', 'timestamp', 'signature'];
  return Object.fromEntries(parts.map((part) => [`webhook-${part}`, String(headers[`${prefix}-${part}`])]));
}

describe('an attempt for a webhook with options', () => {
  const {
    account: openAccount,
    receiver: openReceiver,
    service,
  } = serviceWithReplays({
    POSTRIDER_RETRY_SCHEDULE: '1h',
  });

  const attemptsOf = (actions: ReplayActions, eventId: string, count: number) =>
    eventually(`${count} attempts`, async () => {
      const { data } = read(await actions.live.get(`/v1/events/${eventId}/attempts`), attemptListSchema);
      return data.length >= count ? data.toReversed() : null;
    });

  it('has signature headers with the prefix: first, resent, replayed, and as a test', async () => {
    const actions = await openAccount();
    const receiver = await openReceiver();
    const { id: webhookId, secret } = await actions.webhook(receiver.url, { signatureHeaderPrefix: 'svix' });
    const eventId = await actions.post();
    await actions.settled([eventId], 'delivered');
    await actions.live.postJson(`/v1/events/${eventId}/resend`, { webhookId });
    await receiver.received(2);
    await actions.ended((await actions.replay({ webhookId, only: 'all' })).id);
    await receiver.received(3);
    await actions.live.postJson(`/v1/webhooks/${webhookId}/test`, {});
    const requests = await receiver.received(4);
    for (const request of requests) {
      const event = new Webhook(secret).verify(request.body, standardHeaders(request, 'svix'));
      expect(event).to.have.property('id', request.headers['svix-id']);
      expect(Object.keys(request.headers).filter((name) => name.startsWith('webhook-'))).to.deep.equal([]);
    }
    const [attempt] = await attemptsOf(actions, eventId, 1);
    expect(attempt?.requestHeaders).to.include({ 'svix-id': eventId, 'svix-signature': 'v1,***' });
    expect(JSON.stringify(attempt)).not.to.include(String(requests[0]?.headers['svix-signature']).slice(3));
  });

  it('follows each change of the prefix', async () => {
    const actions = await openAccount();
    const receiver = await openReceiver();
    const { id, secret } = await actions.webhook(receiver.url);
    for (const [at, prefix] of ['acme', 'svix', null].entries()) {
      await actions.live.patchJson(`/v1/webhooks/${id}`, { signatureHeaderPrefix: prefix });
      await actions.post();
      const request = (await receiver.received(at + 1))[at];
      expect(
        request && new Webhook(secret).verify(request.body, standardHeaders(request, prefix ?? 'webhook')),
      ).to.be.an('object');
    }
  });

  it('fails at the present time limit of its webhook', async () => {
    const actions = await openAccount();
    const receiver = await openReceiver(() => undefined);
    const { id: webhookId } = await actions.webhook(receiver.url, { timeoutSeconds: 1 });
    const eventId = await actions.post();
    const [limited] = await attemptsOf(actions, eventId, 1);
    expect(limited?.error).to.deep.equal({
      code: 'timeout',
      message: 'The receiver sent no complete response within 1 s',
    });
    await actions.live.patchJson(`/v1/webhooks/${webhookId}`, { timeoutSeconds: 2 });
    await actions.live.postJson(`/v1/events/${eventId}/resend`, { webhookId });
    const [, longer] = await attemptsOf(actions, eventId, 2);
    expect(longer?.error?.message).to.equal('The receiver sent no complete response within 2 s');
  });

  it('may take longer than the time limit of the service', async () => {
    const actions = await openAccount();
    const receiver = await openReceiver((_request, response) => {
      setTimeout(() => response.end(), 16_000);
    });
    const { id: webhookId } = await actions.webhook(receiver.url, { timeoutSeconds: 30 });
    const eventId = await actions.post();
    const [attempt] = await eventually('the end of the attempt', async () => {
      const { data } = read(await actions.live.get(`/v1/events/${eventId}/attempts`), attemptListSchema);
      return data.length > 0 ? data : null;
    });
    expect(attempt).to.include({ webhookId, status: 'succeeded', statusCode: 200 });
  });

  it('is cut off without an outcome when its process must end, and is repeated', async () => {
    const actions = await openAccount();
    let isWell = false;
    const receiver = await openReceiver((_request, response) => {
      if (isWell) {
        response.end();
      }
    });
    await actions.webhook(receiver.url, { timeoutSeconds: 30 });
    const eventId = await actions.post();
    await receiver.received(1);
    await service().stopRole('delivery');
    isWell = true;
    await service().startRole('delivery');
    await actions.settled([eventId], 'delivered');
    const attempts = await attemptsOf(actions, eventId, 1);
    expect(attempts.map(({ status, number }) => [status, number])).to.deep.equal([['succeeded', 1]]);
    expect(receiver.requests.map(({ headers }) => headers['webhook-id'])).to.deep.equal([eventId, eventId]);
  });
});
