import { expect } from 'chai';

import type { Stores } from '../../../cli/environment/stores.js';
import { appendBacklog } from '../../support/backlog.js';
import { isParked } from '../../../shared/domain/deliveries/delivery.js';
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

interface FailedAttempt {
  readonly url: string | null;
  readonly error: { readonly code: string };
}

interface Tenant {
  readonly tenantId?: string;
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

/** Waits until the read model contains a parked delivery of one of the events. Returns all events with such a delivery. */
function untilParked(
  withStores: <Result>(work: (stores: Stores) => Promise<Result>) => Promise<Result>,
  ids: readonly string[],
): Promise<readonly string[]> {
  return withStores(({ models }) =>
    eventually('a parked delivery', async () => {
      const { documents } = await models.events.findInAllAccounts(ids);
      const parked = documents.filter(({ deliveries }) => deliveries.some(isParked)).map(({ _id }) => _id);
      return parked.length > 0 ? parked : null;
    }),
  );
}

/** A separate service, in which each test creates its own resources. */
function isolated(settings: Settings) {
  let service: TestService;
  let receivers: Receiver[];

  before(async () => {
    service = await startService(settings);
  });

  // A test measures delays, next to no other service.
  after(() => service.stop());

  beforeEach(() => {
    receivers = [];
  });

  afterEach(() => Promise.all(receivers.map((receiver) => receiver.close())));

  const startOwn = async (answer?: Answer): Promise<Receiver> => {
    const receiver = await startReceiver(answer);
    receivers.push(receiver);
    return receiver;
  };

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
        createTenant: (tenantId: string) => client.put(`/v1/tenants/${tenantId}`, {}),
        startReceiver: startOwn,
        createWebhook: async (answer?: Answer, fields: object = {}): Promise<Receiver> => {
          const receiver = await startOwn(answer);
          await client.post('/v1/webhooks', { url: receiver.url, events: ['*'], ...fields });
          return receiver;
        },
        /** The failed attempts of the account, newest first, as soon as there is one. */
        failures: () =>
          eventually('a failed attempt', async () => {
            const { body } = await client.get('/v1/attempts?status=failed&limit=100');
            const attempts = body['data'] as readonly FailedAttempt[];
            return attempts.length > 0 ? attempts : null;
          }),
        post: (count: number, tenant: Tenant = {}) =>
          Promise.all(
            Array.from({ length: count }, async () => {
              const event = { type: 'order.completed', data: {}, ...tenant };
              const { body } = await client.post('/v1/events', event);
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

function idsAt({ requests }: Receiver): readonly string[] {
  return requests.map(({ headers }) => String(headers['webhook-id']));
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

describe('a busy webhook', () => {
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

  it('gets a burst of 100 events at its own pace, without being parked', async () => {
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

describe('a webhook that hangs', () => {
  const { openAccount, withStores } = isolated({
    ...oneWindow,
    POSTRIDER_WEBHOOK_CONCURRENCY: '2',
  });

  it('has its excess deliveries parked before its first attempt times out', async () => {
    const { createWebhook, post, deliveriesOf } = await openAccount();
    await createWebhook(faults['hangs']);
    const ids = await post(60);
    await untilParked(withStores, ids);
    const deliveries = (await Promise.all(ids.map(deliveriesOf))).flat();

    expect(new Set(deliveries.map(({ status, attemptCount }) => `${status} ${attemptCount}`))).to.deep.equal(
      new Set(['pending 0']),
    );
  });

  it('gets each parked event once and the oldest first when it answers again, while a quick webhook waits for none', async () => {
    const { createWebhook, post } = await openAccount();
    const { answer, release } = holding();
    const receiver = await createWebhook(answer);
    const quick = await createWebhook();
    const postedAt = new Map<string, number>();
    const postInOrder = async (count: number) => {
      for (let event = 0; event < count; event += 1) {
        const at = Date.now();
        const [id = ''] = await post(1);
        postedAt.set(id, at);
      }
    };
    await postInOrder(60);
    const parked = await untilParked(withStores, [...postedAt.keys()]);
    release();
    await postInOrder(20);
    const ids = [...postedAt.keys()];
    await receiver.received(ids.length, 45_000);
    await quick.received(ids.length);
    const received = idsAt(receiver);
    const places = received.filter((id) => parked.includes(id)).map((id) => ids.indexOf(id));
    // Two attempts are in flight, and either may arrive first.
    const early = places.filter((place, index) => place > (places[index + 2] ?? Infinity));
    const waits = quick.requests.map(({ headers, receivedAt }) => {
      return receivedAt - (postedAt.get(String(headers['webhook-id'])) ?? 0);
    });

    expect([received.toSorted(), early]).to.deep.equal([ids.toSorted(), []]);
    expect(Math.max(...waits)).to.be.below(5000);
  });
});

describe('a token server that hangs', () => {
  const { openAccount } = isolated(oneWindow);

  it('fails the attempts of its own webhook only, and delays no delivery of another one', async () => {
    const account = await openAccount();
    const tokenServer = await account.startReceiver(faults['hangs']);
    const { url: tokenUrl } = tokenServer;
    const client = { type: 'oauth2_client_credentials', tokenUrl, clientId: 'shop', clientSecret: 'secret' };
    const guarded = await account.createWebhook(undefined, { auth: client });
    const quick = await account.createWebhook();
    await account.post(60);

    expect(await quick.received(60, atOnceMs)).to.have.lengthOf(60);
    expect(tokenServer.requests).to.have.lengthOf(1);
    const failures = await account.failures();
    expect(new Set(failures.map(({ url, error }) => `${url} ${error.code}`))).to.deep.equal(
      new Set([`${guarded.url} auth_failed`]),
    );
    expect(guarded.requests).to.have.lengthOf(0);
  });
});

describe('a busy account', () => {
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

describe('a busy tenant', () => {
  const { openAccount, withStores } = isolated(oneWindow);
  const busy = { tenantId: 'busy' };
  const other = { tenantId: 'other' };

  /** An account with both tenants. The webhook of the other tenant is known to be quick. */
  const openPlatform = async () => {
    const account = await openAccount();
    await account.createTenant('busy');
    await account.createTenant('other');
    const quick = await account.createWebhook(undefined, other);
    await account.post(1, other);
    await quick.received(1);
    return { ...account, quick };
  };

  it('does not delay another tenant of its account by its backlog', async () => {
    const { id, createWebhook, post, quick } = await openPlatform();
    // Fast enough that its deliveries are not parked for their own wait, and too slow for its backlog.
    const slow = await createWebhook((_request, response) => {
      setTimeout(() => response.end(), 100);
    }, busy);
    await withStores(({ log }) => appendBacklog(log, id, 3_000, busy));
    await post(1, other);
    await quick.received(2, 30_000);

    // In the order of their arrival, all 3,000 would have been first.
    expect(slow.requests.length).to.be.below(1_500);
  });

  it('delays no delivery of another tenant by webhooks that hang', async () => {
    const { createWebhook, post, quick } = await openPlatform();
    await Promise.all(Array.from({ length: 8 }, () => createWebhook(faults['hangs'], busy)));
    await post(60, busy);
    await post(40, other);

    expect(await quick.received(41, 5_000)).to.have.lengthOf(41);
  });
});
