import { randomBytes } from 'node:crypto';

import { expect } from 'chai';

import type { EventCheck, EventChecks } from '../../../../api/eventTypes/eventCheck.js';
import { isApiError } from '../../../../api/http/apiError.js';
import type { PostedEvent } from '../../../../api/http/context.js';
import { createStoreRetries } from '../../../../api/idempotency/storeRetries.js';
import {
  createPostEvents,
  type ItemOutcome,
  type PostEvents,
} from '../../../../api/resources/postedEvents/postEvents.js';
import { createFairSemaphore } from '../../../../shared/concurrency/fairSemaphore.js';
import { UnavailableError } from '../../../../shared/core/errors.js';
import { createRandom } from '../../../../shared/core/random.js';
import { createIdentifiers } from '../../../../shared/domain/core/identifiers.js';
import { freshIdentity, seededIdentity } from '../../../../shared/domain/core/requestIdentity.js';
import type { LogAppender } from '../../../../shared/log/producer/producer.js';
import { createMetrics } from '../../../../shared/runtime/metrics.js';
import { createSecretBox } from '../../../../shared/security/secretBox.js';
import type { Mongo } from '../../../../shared/store/client/client.js';
import {
  createItemReservations,
  type ItemReservations,
} from '../../../../shared/store/coordination/itemReservations.js';
import { eventually } from '../../../support/eventually.js';
import { start } from '../../../support/facts.js';
import { openTestLog, type TestLog } from '../../../support/log.js';
import { closeAtEndOfFile } from '../../../support/fileResources.js';
import { readTopic } from '../../../support/readTopic.js';
import { openMongo } from '../../../support/mongo.js';

const partitions = 3;
const accountId = 'acct_01ARZ3NDEKTSV4RRFFQ69G5FAV';
const caller = { accountId, mode: 'live', tenant: null } as const;
const identifiers = createIdentifiers(createRandom());
const secretBox = createSecretBox([{ id: 'one', bytes: Buffer.alloc(32, 1) }]);
/** The time until another process takes over a key, in milliseconds. */
const inUseMs = 300;

const never = () => new Promise<never>(() => undefined);
const fresh = () => freshIdentity(start, identifiers, randomBytes);
const seed = Buffer.alloc(32, 5);

/** Events, each with an idempotency key that begins with `name`. */
function events(name: string, count = 6): readonly PostedEvent[] {
  return Array.from({ length: count }, (_, n) => ({
    type: 'order.completed',
    data: Buffer.from(JSON.stringify({ name, n })),
    tenantId: undefined,
    key: ['item', `${name} ${n}`],
    attributes: null,
    place: `events[${n}]`,
    tenantPlace: `events[${n}].tenantId`,
    keyPlace: `events[${n}].idempotencyKey`,
  }));
}

function withoutKeys(items: readonly PostedEvent[]): readonly PostedEvent[] {
  return items.map((item) => ({ ...item, key: null }));
}

function idsIn(outcomes: readonly ItemOutcome[]): readonly string[] {
  return outcomes.map((outcome) => (isApiError(outcome) ? outcome.errorCode : outcome.id));
}

describe('posting many events', () => {
  let log: TestLog;
  let mongo: Mongo;
  before(async () => {
    log = await openTestLog({ POSTRIDER_PARTITIONS: String(partitions) });
    mongo = await openMongo(log.config.mongodb.url);
    closeAtEndOfFile(async () => {
      await mongo.database.dropDatabase();
      await mongo.close();
    });
  });

  interface Faults {
    readonly appendTogether?: LogAppender['appendTogether'];
    readonly reservations?: (reservations: ItemReservations) => ItemReservations;
    readonly checks?: EventChecks;
    /** The ids of the events that the read model contains. */
    readonly recorded?: ReadonlySet<string>;
  }

  /** A process that posts events. A fault that never returns is equal to the death of the process at this point. */
  const process = ({
    appendTogether = log.producer.appendTogether,
    reservations,
    checks = { find: () => null },
    recorded = new Set(),
  }: Faults = {}): PostEvents => {
    const commands = createFairSemaphore({ slots: 10, overload: 'overload', retryAfterSeconds: 1 });
    const times = { inUseMs, keptMs: 60_000 };
    const real = createItemReservations(mongo.database, secretBox, commands, times);
    return createPostEvents({
      ...{ log: { appendTogether }, partitions },
      itemReservations: reservations?.(real) ?? real,
      ...createStoreRetries(log.logger),
      checks,
      recorded: (_accountId, ids) =>
        Promise.resolve(new Map(ids.filter((id) => recorded.has(id)).map((id) => [id, null]))),
      metrics: createMetrics(),
    });
  };

  const post = (by: PostEvents, items: readonly PostedEvent[], identity = fresh()) =>
    by({ caller, items, identity, receivedAt: performance.now() });

  /** Posts until no event is in use, and returns the ids. */
  const untilAccepted = (items: readonly PostedEvent[]) =>
    eventually('all events are accepted', async () => {
      const ids = idsIn(await post(process(), items));
      return ids.includes('idempotency_key_in_use') ? null : ids;
    });

  /** The ids in the log of all records whose data has this name; each id once. */
  const idsInLog = async (name: string, atLeast: number) => {
    const ends = await log.admin.fetchTopicOffsets(`${log.config.topics.prefix}events`);
    const count = ends.reduce((sum, { high }) => sum + Number(high), 0);
    const records = await readTopic(log, `${log.config.topics.prefix}events`, Math.max(count, atLeast));
    const own = records.filter(({ value }) => value?.toString().includes(`"${name}"`));
    return [...new Set(own.map(({ key }) => key?.toString() ?? ''))].toSorted();
  };

  const crashes: Readonly<Record<string, Faults>> = {
    'after the reservation': { appendTogether: never },
    'between the appends of two partitions': {
      appendTogether: (records, options) =>
        records.length % 2 === 0 ? log.producer.appendTogether(records, options) : never(),
    },
    'between the append and the mark of its keys': {
      reservations: (real) => ({
        take: async (...request) => ({ ...(await real.take(...request)), complete: never }),
      }),
    },
    'while the keys are taken': {
      reservations: (real) => ({
        take: async (...request) => {
          await real.take(...request);
          return never();
        },
      }),
    },
  };
  for (const [when, faults] of Object.entries(crashes)) {
    it(`has one effect for each event if the process dies ${when}`, async () => {
      const name = `crash ${when}`;
      const items = events(name);
      const reservations = mongo.database.collection<{ readonly _id: string }>('idempotency');
      const earlier = await reservations.distinct('_id');
      void post(process(faults), items);
      await eventually('the reservations', async () => {
        const held = await reservations.countDocuments({ _id: { $nin: earlier } });
        return held >= items.length ? true : null;
      });
      const ids = await untilAccepted(items);
      const again = idsIn(await post(process(), items));
      expect([again, await idsInLog(name, items.length)]).to.deep.equal([ids, ids.toSorted()]);
    });
  }

  /** A type that rejects each event, or that cannot be checked now. */
  const checksThat = (check: EventCheck['check']): EventChecks => ({
    find: () => ({ mode: 'reject', check }),
  });
  const rejecting = checksThat(() => ({ status: 'invalid', param: 'data.amount', code: 'minimum' }));

  it('accepts a recorded event after a crash, although its schema rejects the event now', async () => {
    const items = events('stricter schema', 2);
    const crash = crashes['between the append and the mark of its keys'];
    void post(process(crash), items);
    const ids = await eventually('the records', async () => {
      const found = await idsInLog('stricter schema', items.length);
      return found.length === items.length ? found : null;
    });
    const recorded = new Set(ids);
    const again = await eventually('the end of the reservations', async () => {
      const found = idsIn(await post(process({ checks: rejecting, recorded }), items));
      return found.includes('idempotency_key_in_use') ? null : found;
    });
    expect([again.toSorted(), await idsInLog('stricter schema', items.length)]).to.deep.equal([ids, ids]);
  });

  it('rejects an event after a 503, or a crash before its append, if its schema rejects the event', async () => {
    const [unchecked, crashed] = [events('after a 503', 1), events('after a crash', 1)];
    const failing = checksThat(() => Promise.reject(new UnavailableError('no worker')));
    expect(idsIn(await post(process({ checks: failing }), unchecked))).to.deep.equal(['service_unavailable']);
    void post(process({ appendTogether: never }), crashed);
    for (const items of [unchecked, crashed]) {
      const code = await eventually('the end of the reservations', async () => {
        const [found] = idsIn(await post(process({ checks: rejecting }), items));
        return found === 'idempotency_key_in_use' ? null : found;
      });
      expect(code).to.equal('event_data_invalid');
    }
    expect([await idsInLog('after a 503', 0), await idsInLog('after a crash', 0)]).to.deep.equal([[], []]);
  });

  it('has at most eight events of a request that wait for a check', async () => {
    let [waiting, most] = [0, 0];
    const slow = checksThat(async () => {
      waiting += 1;
      most = Math.max(most, waiting);
      await new Promise((resolve) => setImmediate(resolve));
      waiting -= 1;
      return { status: 'valid', param: null, code: null };
    });
    const outcomes = await post(process({ checks: slow }), events('waiting', 50));
    expect([most, outcomes.some(isApiError)]).to.deep.equal([8, false]);
  });

  it('fails only the events whose partition is unavailable, and accepts them later with the same ids', async () => {
    const items = events('partial', 12);
    let isAway = true;
    const away = process({
      appendTogether: (records, options) =>
        isAway && records.length % 2 === 1
          ? Promise.reject(new UnavailableError('a partition is unavailable'))
          : log.producer.appendTogether(records, options),
    });
    const first = idsIn(await post(away, items));
    isAway = false;
    const second = idsIn(await post(away, items));
    expect([
      first.map((id, n) => id === second[n] || id === 'service_unavailable'),
      await idsInLog('partial', items.length),
    ]).to.deep.equal([items.map(() => true), second.toSorted()]);
  });

  it('gives events of a request with the same seed the same ids, also without keys', async () => {
    const items = withoutKeys(events('seeded'));
    const identity = (isRepeat: boolean) => seededIdentity({ created: start, isRepeat, seed });
    const [first, second] = [
      idsIn(await post(process(), items, identity(false))),
      idsIn(await post(process(), items, identity(true))),
    ];
    expect([second, new Set(first).size]).to.deep.equal([first, items.length]);
  });

  it('fails only events with keys if the reservations are unavailable', async () => {
    const [keyed, ...others] = events('no database', 3);
    if (keyed === undefined) {
      throw new Error('there are three events');
    }
    const without = process({
      reservations: () => ({ take: () => Promise.reject(new UnavailableError('MongoDB is unavailable')) }),
    });
    const outcomes = await post(without, [keyed, ...withoutKeys(others)]);
    expect(
      outcomes.map((outcome) => isApiError(outcome) && [outcome.errorCode, outcome.param]),
    ).to.deep.equal([['service_unavailable', 'events[0]'], false, false]);
  });

  it('writes the reservations of all events with one operation', async () => {
    let takes = 0;
    const counting = process({
      reservations: (real) => ({
        take: (...request) => {
          takes += 1;
          return real.take(...request);
        },
      }),
    });
    await post(counting, events('one write', 100));
    expect(takes).to.equal(1);
  });

  it('serves other work while it posts 500 events', async () => {
    const posting = { isOver: false };
    let turns = 0;
    const count = () => {
      turns += 1;
      if (!posting.isOver) {
        setImmediate(count);
      }
    };
    const by = process({
      appendTogether: () => Promise.resolve({ topic: 'events', partition: 0, offset: 0 }),
    });
    setImmediate(count);
    await post(by, events('turns', 500));
    posting.isOver = true;
    expect(turns).to.be.greaterThan(3);
  });
});
