import { expect } from 'chai';

import { attemptListSchema } from '../../../api/resources/attempts/routes.js';
import { eventSchema } from '../../../api/resources/events/routes.js';
import { createRandom } from '../../../shared/core/random.js';
import { createIdentifiers } from '../../../shared/domain/core/identifiers.js';
import { tiers } from '../../../shared/domain/deliveries/tiers.js';
import { encodeRetry, type RetryRecord } from '../../../shared/log/records/retry.js';
import { placementOf } from '../../../shared/log/topics/partition.js';
import { createClient, read, type Client } from '../../api/support/client.js';
import { postEvent } from '../../api/support/events.js';
import { createWebhook } from '../../api/support/webhooks.js';
import { eventually } from '../../support/eventually.js';
import { startReceiver, type Receiver } from '../../support/receiver.js';
import { startService, type TestService } from '../../support/service.js';

/** The response of a receiver to one request: at once, or when the test says so. */
type Plan = number | { readonly code: number; readonly once: AbortSignal };

const identifiers = createIdentifiers(createRandom());
const [shortestTier] = tiers;

describe('cycles of a delivery', () => {
  let service: TestService;
  let account: { readonly id: string; readonly liveKey: string };
  let client: Client;
  let receivers: Receiver[];

  before(async () => {
    service = await startService({ POSTRIDER_RETRY_SCHEDULE: '1s' });
  });

  after(() => service.stop());

  beforeEach(async () => {
    receivers = [];
    account = await service.createAccount();
    client = createClient(service.address, account.liveKey);
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

  it('start the schedule again for a failed resend, which is pending and retrying until it is delivered', async () => {
    const [resendMay, retryMay] = [new AbortController(), new AbortController()];
    await webhookAnswering(
      500,
      500,
      { code: 500, once: resendMay.signal },
      { code: 200, once: retryMay.signal },
    );
    const { id } = await postEvent(client);
    await deliveryWith(id, 'failed', 2);
    const asked = await resend(id);
    resendMay.abort();
    await deliveryWith(id, 'retrying', 3);
    retryMay.abort();
    await deliveryWith(id, 'delivered', 4);
    const attempts = await attemptsOf(id, 4);

    expect([
      asked?.status,
      attempts.map(({ number, trigger, status }) => [number, trigger, status]),
    ]).to.deep.equal([
      'pending',
      [
        [1, 'first', 'failed'],
        [2, 'retry', 'failed'],
        [3, 'resend', 'failed'],
        [4, 'retry', 'succeeded'],
      ],
    ]);
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

  describe('an outcome of an older cycle', () => {
    it('adds its attempt without a change of the status', async () => {
      const [retryMay, resendMay] = [new AbortController(), new AbortController()];
      const { receiver } = await webhookAnswering(
        500,
        { code: 500, once: retryMay.signal },
        { code: 200, once: resendMay.signal },
      );
      const { id } = await postEvent(client);
      await receiver.received(2, 20_000);
      await resend(id);
      await receiver.received(3, 20_000);
      retryMay.abort();
      const meanwhile = await deliveryWith(id, 'pending', 2);
      resendMay.abort();
      await deliveryWith(id, 'delivered', 3);
      const attempts = await attemptsOf(id, 3);

      expect([meanwhile.statusCode, attempts.map(({ status }) => status).sort()]).to.deep.equal([
        null,
        ['failed', 'failed', 'succeeded'],
      ]);
    });
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

    it('is canceled even if only its retry record shows the older epoch', async () => {
      const receiver = await startReceiver();
      receivers.push(receiver);
      const { id: webhookId } = await createWebhook(client, { url: receiver.url, events: ['another.type'] });
      await disableAndEnable(webhookId);
      const { id } = await postEvent(client);
      const at = new Date();
      const work: RetryRecord = {
        ...{ eventId: id, accountId: account.id, mode: 'live', webhookId, cycle: 0, replayId: null },
        ...{ number: 2, attemptsMade: 1, trigger: 'retry', epoch: 0, due: at },
        positions: {
          event: { partition: placementOf({ id }, service.config.topics.partitions), offset: null },
          outcome: null,
        },
      };
      await service.withStores(({ log }) =>
        log.append(encodeRetry(work, shortestTier, { id: identifiers.createRecordId(at), at })),
      );
      const { error } = await deliveryWith(id, 'canceled', 0);

      expect([error?.code, receiver.requests.length]).to.deep.equal(['webhook_disabled', 0]);
    });
  });
});
