import { expect } from 'chai';

import type { Stores } from '../../../cli/environment/stores.js';
import { appendBacklog } from '../../support/backlog.js';
import { createClient } from '../../support/client.js';
import { eventually } from '../../support/eventually.js';
import { readTopic } from '../../support/readTopic.js';
import { startReceiver, type Answer, type Receiver } from '../../support/receiver.js';
import { startService, type TestService } from '../../support/service.js';
import type { Settings } from '../../support/settings.js';

interface DeliveryAnswer {
  readonly webhookId: string;
  readonly status: string;
  readonly attemptCount: number;
  readonly nextAttemptAt: string | null;
}

/** A time limit below the timeout of an attempt that hangs. */
const atOnceMs = 10_000;

/** The faults of webhooks. */
const faults: Readonly<Record<string, Answer>> = {
  hangs: () => undefined,
  drips: (_request, response) => {
    response.writeHead(200);
    const dripping = setInterval(() => response.write('.'), 20);
    response.once('close', () => clearInterval(dripping));
  },
  fails: (_request, response) => response.writeHead(500).end(),
  'resets connections': (_request, response) => response.destroy(),
};

/** One window, so that little fills it. */
const oneWindow = { POSTRIDER_PARTITIONS: '1', POSTRIDER_RETRY_SCHEDULE: '1h' };

/** A separate service, in which each test creates its own resources. */
function isolated(settings: Settings) {
  let service: TestService;
  let receivers: Receiver[];

  before(async () => {
    service = await startService(settings);
  });

  after(() => service.stop());

  beforeEach(() => {
    receivers = [];
  });

  afterEach(() => Promise.all(receivers.map((receiver) => receiver.close())));

  return {
    withStores: <Result>(work: (stores: Stores) => Promise<Result>) => service.withStores(work),
    /** The events of the deferral records in the log. */
    deferredEvents: () =>
      service.withStores(async (stores) => {
        const [end] = await stores.offsets.ends('deliveries');
        const topic = `${service.config.topics.prefix}deliveries`;
        const records = await readTopic(stores, topic, end ?? 0);
        return records
          .filter(({ headers }) => String(headers?.['ce_type']) === 'postrider.delivery.deferred')
          .map(({ key }) => String(key));
      }),
    openAccount: async () => {
      const account = await service.createAccount();
      const client = createClient(service.address, account.liveKey);
      return {
        id: account.id,
        createWebhook: async (answer?: Answer): Promise<Receiver> => {
          const receiver = await startReceiver(answer);
          receivers.push(receiver);
          await client.post('/v1/webhooks', { url: receiver.url, events: ['*'] });
          return receiver;
        },
        post: (count: number) =>
          Promise.all(
            Array.from({ length: count }, async () => {
              const { body } = await client.post('/v1/events', { type: 'order.completed', data: {} });
              return String(body['id']);
            }),
          ),
        deliveriesOf: async (eventId: string) => {
          const { body } = await client.get(`/v1/events/${eventId}`);
          return body['deliveries'] as readonly DeliveryAnswer[];
        },
      };
    },
  };
}

/** A response of a receiver that waits until the test releases it. */
function holding() {
  const held: (() => void)[] = [];
  let isWell = false;
  const answer: Answer = (_request, response) => {
    if (isWell) {
      response.end();
    } else {
      held.push(() => response.end());
    }
  };
  const release = () => {
    isWell = true;
    held.forEach((end) => end());
  };
  return { answer, release };
}

describe('a busy webhook', function () {
  this.timeout(60_000);

  const { openAccount, deferredEvents } = isolated(oneWindow);

  for (const [fault, answer] of Object.entries(faults)) {
    it(`that ${fault} delays no delivery of another webhook`, async () => {
      const { createWebhook, post } = await openAccount();
      await createWebhook(answer);
      const healthy = await createWebhook();
      await post(60);

      expect(await healthy.received(60, atOnceMs)).to.have.lengthOf(60);
    });
  }

  it('gets a burst of 100 events at its own pace, without a deferral', async () => {
    const { createWebhook, post } = await openAccount();
    const receiver = await createWebhook((_request, response) => {
      setTimeout(() => response.end(), 50);
    });
    const ids = await post(100);
    await receiver.received(100);
    const deferred = await deferredEvents();

    expect(ids.filter((id) => deferred.includes(id))).to.deep.equal([]);
  });
});

describe('a webhook that hangs', function () {
  this.timeout(60_000);

  const { openAccount, withStores, deferredEvents } = isolated({
    ...oneWindow,
    POSTRIDER_WEBHOOK_CONCURRENCY: '2',
  });

  it('has its excess deliveries deferred before its first attempt times out', async () => {
    const { createWebhook, post, deliveriesOf } = await openAccount();
    await createWebhook(faults['hangs']);
    const ids = await post(60);
    const [delivery] = await eventually('a deferral', async () => {
      const deliveries = (await Promise.all(ids.map(deliveriesOf))).flat();
      return deliveries.length > 0 ? deliveries : null;
    });
    const isPlanned = Date.parse(delivery?.nextAttemptAt ?? '') > Date.now() - 5_000;

    expect([delivery?.status, delivery?.attemptCount, isPlanned]).to.deep.equal(['pending', 0, true]);
  });

  it('gets each deferred event once when it answers again', async () => {
    const { createWebhook, post, deliveriesOf } = await openAccount();
    const { answer, release } = holding();
    const receiver = await createWebhook(answer);
    const ids = await post(60);
    await eventually('a deferral', async () =>
      (await Promise.all(ids.map(deliveriesOf))).flat().length > 0 ? true : null,
    );
    release();
    await receiver.received(ids.length, 45_000);
    const received = receiver.requests.map(({ headers }) => String(headers['webhook-id']));

    expect(received.toSorted()).to.deep.equal(ids.toSorted());
  });

  it('has one deferral record for each event, even if it is found busy repeatedly', async () => {
    const { createWebhook, post } = await openAccount();
    const scheduledOf = ({ offsets }: Stores) =>
      Promise.all(
        (['5s', '30s', '3m'] as const).map((tier) => offsets.ends(`deliveries.retry.${tier}`)),
      ).then((ends) => ends.flat().reduce((sum, end) => sum + end, 0));
    await createWebhook(faults['hangs']);
    // Until the first timeout, the log gets only deferrals of this webhook.
    const returned = async (stores: Stores) =>
      (await scheduledOf(stores)) - ((await stores.offsets.ends('deliveries'))[0] ?? 0);
    const before = await withStores(returned);
    await post(60);
    await withStores((stores) =>
      eventually(
        'the return of some events, which are deferred again',
        async () => ((await returned(stores)) - before > 5 ? true : null),
        20_000,
      ),
    );
    const deferred = await deferredEvents();

    expect(deferred.length).to.equal(new Set(deferred).size);
  });
});

describe('a busy account', function () {
  this.timeout(60_000);

  const { openAccount, withStores } = isolated(oneWindow);

  it('does not delay another account by its backlog', async () => {
    const [busy, other] = [await openAccount(), await openAccount()];
    // Fast enough that its deliveries are not deferred for their own wait, and too slow for its backlog.
    const slow = await busy.createWebhook((_request, response) => {
      setTimeout(() => response.end(), 100);
    });
    const quick = await other.createWebhook();
    await other.post(1);
    await quick.received(1);
    await withStores(({ log }) => appendBacklog(log, busy.id, 3_000));
    await other.post(1);
    await quick.received(2, 30_000);

    // In the order of their arrival, all 3,000 would have been first.
    expect(slow.requests.length).to.be.below(1_500);
  });
});
