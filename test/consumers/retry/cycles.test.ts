import { expect } from 'chai';

import { attemptListSchema } from '../../../api/resources/attempts/routes.js';
import { eventSchema } from '../../../api/resources/events/routes.js';
import { createClient, read, type Client } from '../../api/support/client.js';
import { postEvent } from '../../api/support/events.js';
import { createWebhook } from '../../api/support/webhooks.js';
import { eventually } from '../../support/eventually.js';
import { startReceiver, type Receiver } from '../../support/receiver.js';
import { startService, type TestService } from '../../support/service.js';

/** The response of a receiver to one request: at once, or when the test says so. */
type Plan = number | { readonly code: number; readonly once: AbortSignal };

describe('cycles of a delivery', () => {
  let service: TestService;
  let client: Client;
  let receivers: Receiver[];

  before(async () => {
    service = await startService({ POSTRIDER_RETRY_SCHEDULE: '1s,2s' });
  });

  beforeEach(async () => {
    receivers = [];
    client = createClient(service.address, (await service.createAccount()).liveKey);
  });

  afterEach(() => Promise.all(receivers.map((receiver) => receiver.close())));

  /** A webhook whose requests are answered by these plans, one after the other, and with a 500 beyond them. */
  const webhookAnswering = async (...plans: readonly Plan[]) => {
    const receiver = await startReceiver((_request, response) => {
      const plan = plans[receiver.requests.length - 1] ?? 500;
      if (typeof plan === 'number') {
        response.writeHead(plan).end();
      } else if (plan.once.aborted) {
        response.writeHead(plan.code).end();
      } else {
        plan.once.addEventListener('abort', () => response.writeHead(plan.code).end());
      }
    });
    receivers.push(receiver);
    const { id } = await createWebhook(client, { url: receiver.url });
    return { id, receiver };
  };

  const deliveryOf = async (eventId: string) =>
    read(await client.get(`/v1/events/${eventId}`), eventSchema).deliveries[0];

  const deliveryWith = (eventId: string, status: string, attemptCount: number) =>
    eventually(`${status} after ${attemptCount}`, async () => {
      const delivery = await deliveryOf(eventId);
      return delivery?.status === status && delivery.attemptCount === attemptCount ? delivery : null;
    });

  const resend = async (eventId: string) => {
    const answer = await client.post(`/v1/events/${eventId}/resend`, '', {});
    return read(answer, eventSchema).deliveries[0];
  };

  /** The attempts of an event once there are so many, the oldest first. */
  const attemptsOf = (eventId: string, count: number) =>
    eventually(`${count} attempts`, async () => {
      const { data } = read(await client.get(`/v1/events/${eventId}/attempts`), attemptListSchema);
      return data.length >= count ? data.toReversed() : null;
    });

  it('follow the schedule, never early, until it is exhausted, and again from its start for a failed resend', async () => {
    const [resendMay, retryMay] = [new AbortController(), new AbortController()];
    const { receiver } = await webhookAnswering(
      ...[500, 500, 500],
      { code: 500, once: resendMay.signal },
      { code: 200, once: retryMay.signal },
    );
    const { id } = await postEvent(client);
    const failed = await deliveryWith(id, 'failed', 3);
    const asked = await resend(id);
    resendMay.abort();
    const retrying = await deliveryWith(id, 'retrying', 4);
    retryMay.abort();
    await deliveryWith(id, 'delivered', 5);
    const attempts = await attemptsOf(id, 5);
    const arrivals = receiver.requests.map(({ receivedAt }) => receivedAt);
    const waits = arrivals.slice(1).map((at, index) => at - (arrivals[index] ?? 0));
    const sent = receiver.requests.map(({ headers, body }) => [headers['webhook-id'], String(body)]);

    expect(failed).to.include({ statusCode: 500, nextAttemptAt: null });
    expect(waits[0]).to.be.at.least(1000);
    expect(waits[1]).to.be.at.least(2000);
    expect([asked?.status, typeof retrying.nextAttemptAt]).to.deep.equal(['pending', 'string']);
    expect(attempts.map(({ number, trigger, status }) => [number, trigger, status])).to.deep.equal([
      [1, 'first', 'failed'],
      [2, 'retry', 'failed'],
      [3, 'retry', 'failed'],
      [4, 'resend', 'failed'],
      [5, 'retry', 'succeeded'],
    ]);
    expect(sent).to.deep.equal(Array.from({ length: 5 }, () => [id, sent[0]?.[1]]));
  });

  it('that overlap number each attempt once, in the order in which they end', async () => {
    const may = Array.from({ length: 4 }, () => new AbortController());
    const { receiver } = await webhookAnswering(...may.map(({ signal }) => ({ code: 200, once: signal })));
    const { id } = await postEvent(client);
    await deliveryWith(id, 'pending', 0);
    for (const begun of [1, 2, 3]) {
      await receiver.received(begun, 20_000);
      await resend(id);
    }
    await receiver.received(4, 20_000);
    const orderOfEnds = [1, 3, 0, 2];
    for (const [count, index] of orderOfEnds.entries()) {
      may[index]?.abort();
      await attemptsOf(id, count + 1);
    }
    const attempts = await attemptsOf(id, 4);

    expect([(await deliveryOf(id))?.attemptCount, attempts.map(({ number }) => number)]).to.deep.equal([
      4,
      // The oldest attempt is first.
      [3, 1, 4, 2],
    ]);
  });

  describe('a retry from before its webhook was disabled and enabled again', () => {
    const disableAndEnable = async (webhookId: string) => {
      await client.patchJson(`/v1/webhooks/${webhookId}`, { status: 'disabled' });
      await client.patchJson(`/v1/webhooks/${webhookId}`, { status: 'active' });
    };

    it('is canceled and not attempted', async () => {
      const firstMay = new AbortController();
      const { id: webhookId, receiver } = await webhookAnswering(
        { code: 500, once: firstMay.signal },
        500,
        200,
      );
      const { id } = await postEvent(client);
      await receiver.received(1, 20_000);
      await disableAndEnable(webhookId);
      firstMay.abort();
      const { error } = await deliveryWith(id, 'canceled', 1);
      // Its retry would be due before that of an event that fails now.
      await deliveryWith((await postEvent(client)).id, 'delivered', 2);

      expect([error?.code, receiver.requests.length]).to.deep.equal(['webhook_disabled', 3]);
    });
  });
});
