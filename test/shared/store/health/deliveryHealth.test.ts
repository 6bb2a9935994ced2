import { Readable } from 'node:stream';

import { expect } from 'chai';
import fc from 'fast-check';
import type { Document } from 'mongodb';

import { pageQuery } from '../../../../api/http/paging.js';
import { eventSelection } from '../../../../api/resources/events/eventFilter.js';
import { createWebhookHealth, totalsOf } from '../../../../api/resources/webhooks/webhookHealth.js';
import { attemptsProjection } from '../../../../projections/models/attempts.js';
import { eventsProjection } from '../../../../projections/models/events.js';
import { UnavailableError } from '../../../../shared/core/errors.js';
import type { RawRecord } from '../../../../shared/log/encoding/record.js';
import type { Mongo } from '../../../../shared/store/client/client.js';
import { deliveryStatuses, isFinal, type Delivery } from '../../../../shared/domain/deliveries/delivery.js';
import { deliveryRecords } from '../../../../shared/log/records/deliveries.js';
import { encodeEvent } from '../../../../shared/log/records/events.js';
import { failureKey, failureOf } from '../../../../shared/store/entries/deliveryEntries.js';
import { createDeliveryHealth, type FailureGroup } from '../../../../shared/store/health/deliveryHealth.js';
import {
  derivedDocuments,
  versionKeyOf,
  type AttemptDocument,
  type EventDocument,
} from '../../../../shared/store/models/documents.js';
import { metaId } from '../../../../shared/store/models/generations.js';
import { createReadModels } from '../../../../shared/store/models/readModels.js';
import { createErasure } from '../../../../shared/store/queries/erasure.js';
import { createExpiredDocuments } from '../../../../shared/store/queries/expiredDocuments.js';
import { appended, batchesOf, rewoundFetches } from '../../../projections/foldedLog.js';
import {
  beginGeneration,
  foldIntoGeneration,
  restartGeneration,
} from '../../../projections/foldedGeneration.js';
import { anyRepeats, eventHistories, eventNumber, withRepeats } from '../../../projections/histories.js';
import { failedForGood } from '../../../support/deliveryFacts.js';
import { contextOf, secondsLater, start, testIdentifier, testRecordId } from '../../../support/facts.js';
import { rawRecord } from '../../../support/records.js';
import { openNewDatabase } from '../../../support/mongo.js';

/** Some attempts of each history are to version 1 of their webhook, and the others to version 0. */
const webhooks = [0, 1, 0].map((version, index) => ({
  ...{ id: testIdentifier('wh', index + 1), version, status: 'active' as const },
}));
const owner = { accountId: testIdentifier('acct'), mode: 'live', tenant: null } as const;

/** Each record is appended some milliseconds after the record before it, or in the same millisecond. */
const anyLog = fc
  .tuple(
    eventHistories,
    anyRepeats,
    fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 20 }),
  )
  .map(([records, repeats, gaps]) => {
    const log = appended(withRepeats(records, repeats));
    const gapAt = (index: number) => gaps[index % gaps.length] ?? 1;
    return log.map((partition) => {
      let at = 0;
      return partition.map((record, index): RawRecord => {
        at += gapAt(index);
        return { ...record, timestamp: record.timestamp + at };
      });
    });
  });

describe('The deliveries of webhooks', () => {
  let mongo: Mongo;
  let events: string;
  let attempts: string;

  before(async () => {
    mongo = await openNewDatabase();
    events = await beginGeneration(mongo.database, 'events');
    attempts = await beginGeneration(mongo.database, 'attempts');
  });
  beforeEach(() => begin());

  const begin = async () => {
    await restartGeneration(mongo.database, 'events', events);
    await restartGeneration(mongo.database, 'attempts', attempts);
  };

  const storedEvents = () =>
    mongo.database
      .collection<EventDocument>(events)
      .find({ _id: { $ne: metaId }, $nor: derivedDocuments.$or, source: { $exists: true } })
      .toArray();

  /** The health by reading and counting every document. */
  const countAll = async () => {
    const stored = await storedEvents();
    const made = await mongo.database
      .collection<AttemptDocument>(attempts)
      .find({ _id: { $ne: metaId } })
      .sort({ recorded: 1, _id: 1 })
      .toArray();
    return new Map(
      webhooks.map(({ id, version }) => [
        id,
        expectedHealth(
          stored.flatMap(({ created, deliveries }) =>
            deliveries
              .filter(({ webhookId }) => webhookId === id)
              .flatMap((delivery) => (created === undefined ? [] : [{ created, delivery }])),
          ),
          made.filter(({ versionKey }) => versionKey === versionKeyOf({ id, version })),
        ),
      ]),
    );
  };

  it('are read for more failing webhooks than a pipeline of MongoDB has stages', async () => {
    const many = Array.from({ length: 1100 }, (_, number) => ({
      id: testIdentifier('wh', number),
      version: 1,
    }));
    const failedAt = secondsLater(1);
    await mongo.database.collection<Document & { readonly _id: string }>(attempts).insertMany(
      many.map((webhook) => ({
        ...{ _id: `attempt of ${webhook.id}`, webhookId: webhook.id, status: 'failed' },
        ...{ versionKey: versionKeyOf(webhook), created: failedAt, recorded: failedAt },
      })),
    );
    const { byWebhook } = await createDeliveryHealth(mongo.database).read(many);
    const firstFailures = new Set(
      [...byWebhook.values()].map(({ firstFailureAt }) => String(firstFailureAt)),
    );

    expect([byWebhook.size, [...firstFailures]]).to.deep.equal([1100, [String(failedAt)]]);
  });

  /** The health of all webhooks together, as the API shows it. */
  const readTotals = async () => {
    const { read, readStates, readModels } = createDeliveryHealth(mongo.database);
    const health = createWebhookHealth({
      deliveryHealth: {
        read: (_share, shown) => read(shown),
        readStates: (_share, pages, use) => readStates(pages, use),
        readModels: () => readModels(),
      },
      // Each webhook is a page.
      lookup: { pages: () => Readable.from(webhooks.map((webhook) => [webhook])) },
      takenUp: { refresh: () => Promise.resolve(), asOf: () => start, latest: () => start },
      now: () => 0,
    });
    const { asOf: _asOf, ...totals } = totalsOf(await health.readTotals(owner, undefined));
    return totals;
  };

  /** The ids in the list of each webhook and status, and in the list of each status. */
  const readLists = async () => {
    const models = createReadModels(mongo.database);
    const filters = [undefined, ...webhooks.map(({ id }) => id)].flatMap((webhookId) =>
      deliveryStatuses.map((status) => ({ webhookId, deliveryStatus: [status] })),
    );
    const range = { limit: 100, direction: 'older', place: null } as const;
    return Promise.all(
      filters.map(async (filter) => {
        const page = await models.events.findListPage(pageQuery(eventSelection(owner, filter), range));
        return { ...filter, ids: page.documents.map(({ _id }) => _id).toSorted() };
      }),
    );
  };

  const expectExact = async () => {
    const counted = await countAll();
    const stored = await storedEvents();
    const lists = await readLists();

    expect((await createDeliveryHealth(mongo.database).read(webhooks)).byWebhook).to.deep.equal(counted);
    expect(await readTotals()).to.deep.equal(expectedTotals([...counted.values()]));
    expect(lists).to.deep.equal(
      lists.map(({ webhookId, deliveryStatus }) => ({
        ...{ webhookId, deliveryStatus },
        ids: stored
          .filter(({ deliveries }) =>
            deliveries.some(
              ({ webhookId: id, status }) =>
                [undefined, id].includes(webhookId) && deliveryStatus.includes(status),
            ),
          )
          .map(({ _id }) => _id)
          .toSorted(),
      })),
    );
    return counted;
  };

  const eraseAccount = async () => {
    const { removePage } = createErasure(mongo.database);
    for (const { name, accountDocumentsFilter } of [eventsProjection, attemptsProjection]) {
      await removePage(name, accountDocumentsFilter?.(owner.accountId) ?? {}, 1000);
    }
  };

  it('and their totals and lists equal a count over all documents, also after expiry, a rebuild and an erasure', () =>
    fc.assert(
      fc.asyncProperty(anyLog, rewoundFetches, fc.constantFrom(1, 2, 3, null), async (log, plan, expired) => {
        const foldAll = async (batches: readonly (readonly RawRecord[])[]) => {
          await begin();
          const foldEvents = foldIntoGeneration(mongo.database, events, eventsProjection);
          const foldAttempts = foldIntoGeneration(mongo.database, attempts, attemptsProjection);
          for (const batch of batches) {
            await foldEvents(batch);
            await (batch[0]?.topic === 'deliveries' ? foldAttempts(batch) : undefined);
          }
          const { removeEvents } = createExpiredDocuments(mongo.database);
          await removeEvents(expired === null ? [] : [testIdentifier('evt', expired)]);
          return expectExact();
        };
        const folded = await foldAll(batchesOf(log, plan));

        expect(await foldAll(batchesOf(log, []))).to.deep.equal(folded);
        await eraseAccount();
        const nothing = new Map(webhooks.map(({ id }) => [id, expectedHealth([], [])]));
        expect(await expectExact()).to.deep.equal(nothing);
      }),
      { numRuns: 12, endOnFailure: true },
    ));

  for (const model of ['events', 'attempts'] as const) {
    it(`are unknown while the model ${model} is incomplete`, async () => {
      const name = model === 'events' ? events : attempts;
      await mongo.database
        .collection<{ readonly _id: string }>(name)
        .updateOne({ _id: metaId }, { $set: { complete: false } });
      const error = await createDeliveryHealth(mongo.database)
        .read(webhooks)
        .catch((failure: unknown) => failure);

      expect(error).to.be.instanceOf(UnavailableError);
    });
  }

  it('cost one key of an index for each time, however many deliveries a webhook has', async () => {
    const foldEvents = foldIntoGeneration(mongo.database, events, eventsProjection);
    const foldAttempts = foldIntoGeneration(mongo.database, attempts, attemptsProjection);
    const log = manyFailures(300);
    await foldEvents(log.filter(({ topic }) => topic === 'events'));
    await foldEvents(log.filter(({ topic }) => topic === 'deliveries'));
    await foldAttempts(log.filter(({ topic }) => topic === 'deliveries'));
    await mongo.database.setProfilingLevel('all');
    await createDeliveryHealth(mongo.database).read(webhooks);
    await mongo.database.setProfilingLevel('off');
    const reads = await mongo.database
      .collection('system.profile')
      .find({ ns: { $in: [events, attempts].map((name) => `${mongo.database.databaseName}.${name}`) } })
      .toArray();
    const most = (field: string) => Math.max(...reads.map((read: Document) => Number(read[field] ?? 0)));

    expect({
      reads: reads.length > 5,
      keys: most('keysExamined') < 20,
      documents: most('docsExamined') < 10,
    }).to.deep.equal({ reads: true, keys: true, documents: true });
  });
});

/** Events whose deliveries to the first webhook have failed. */
function manyFailures(count: number): readonly RawRecord[] {
  const webhookId = testIdentifier('wh', 1);
  return Array.from({ length: count }, (_, number) => {
    const event = { ...eventNumber(1), id: testIdentifier('evt', number + 1) };
    const attemptId = testIdentifier('att', number + 1);
    const fact = failedForGood({ webhookId, attemptId, number: 1, attemptedAt: secondsLater(number) });
    const outcome = deliveryRecords.encode(fact, contextOf(event.id, { id: testRecordId(number) }), 0);
    return [rawRecord(encodeEvent(event), { offset: number }), rawRecord(outcome, { offset: number })];
  }).flat();
}

interface StoredDelivery {
  readonly created: Date;
  readonly delivery: Delivery;
}

/** @param attempts in the order of their records */
function expectedHealth(deliveries: readonly StoredDelivery[], attempts: readonly AttemptDocument[]) {
  const lastSuccess = attempts.findLast(({ status }) => status === 'succeeded');
  const afterSuccess = attempts.slice(attempts.findLastIndex(({ status }) => status === 'succeeded') + 1);
  const countOf = (status: Delivery['status']) =>
    deliveries.filter(({ delivery }) => delivery.status === status).length;
  const open = deliveries.filter(({ delivery }) => !isFinal(delivery));
  return {
    counts: {
      pending: countOf('pending'),
      retrying: countOf('retrying'),
      failed: countOf('failed'),
      canceled: countOf('canceled'),
    },
    failures: expectedFailures(deliveries),
    hasFailedLast: attempts.at(-1)?.status === 'failed',
    firstFailureAt: afterSuccess[0]?.created ?? null,
    lastFailureAt: attempts.findLast(({ status }) => status === 'failed')?.created ?? null,
    lastSuccessAt: lastSuccess?.created ?? null,
    nextAttemptAt: earliest(
      open.map(({ delivery }) => (delivery.parked === undefined ? delivery.nextAttemptAt : null)),
    ),
    oldestOpenEventAt: earliest(open.map(({ created }) => created)),
  };
}

type ExpectedHealth = ReturnType<typeof expectedHealth>;

function expectedTotals(all: readonly ExpectedHealth[]) {
  const sumOf = (status: keyof ExpectedHealth['counts']) =>
    all.reduce((sum, { counts }) => sum + counts[status], 0);
  const isFailing = ({ hasFailedLast, counts }: ExpectedHealth) => hasFailedLast || counts.retrying > 0;
  const others = all.filter((health) => !isFailing(health));
  const undelivered = others.filter(({ counts }) => counts.failed > 0).length;
  return {
    webhooks: {
      ...{ healthy: others.length - undelivered, undelivered },
      ...{ failing: all.length - others.length, disabled: 0 },
    },
    ...{ pending: sumOf('pending'), retrying: sumOf('retrying') },
    ...{ failed: sumOf('failed'), canceled: sumOf('canceled') },
    oldestOpenEventAt: earliest(all.map(({ oldestOpenEventAt }) => oldestOpenEventAt))?.toISOString() ?? null,
  };
}

function expectedFailures(deliveries: readonly StoredDelivery[]): readonly FailureGroup[] {
  const failing = deliveries.flatMap(({ delivery }) => {
    const failure = failureOf(delivery);
    return failure === null ? [] : [{ failure, at: delivery.last?.at ?? null }];
  });
  const keys = new Set(failing.map(({ failure }) => failureKey(failure)));
  return [...keys]
    .flatMap((key) => {
      const group = failing.filter(({ failure }) => failureKey(failure) === key);
      const times = group.map(({ at }) => at);
      const [first] = group;
      const extremes = { firstAt: earliest(times), lastAt: latest(times) };
      return first === undefined ? [] : [{ ...first.failure, count: group.length, ...extremes }];
    })
    .toSorted((one, other) => other.count - one.count || (one.statusCode ?? 0) - (other.statusCode ?? 0));
}

function earliest(times: readonly (Date | null)[]): Date | null {
  const [first] = sorted(times);
  return first === undefined ? null : new Date(first);
}

function latest(times: readonly (Date | null)[]): Date | null {
  const last = sorted(times).at(-1);
  return last === undefined ? null : new Date(last);
}

function sorted(times: readonly (Date | null)[]): readonly number[] {
  return times
    .flatMap((time) => (time === null ? [] : [time.getTime()]))
    .toSorted((one, other) => one - other);
}
