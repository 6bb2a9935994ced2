import { expect } from 'chai';
import fc from 'fast-check';

import { createFoldBatches } from '../../../projections/fold/foldBatches.js';
import { createRecentRecordIds } from '../../../projections/fold/recentRecordIds.js';
import type { Projection } from '../../../projections/models/projection.js';
import { statsProjection } from '../../../projections/models/stats.js';
import {
  mergedCounts,
  nothingCounted,
  type DeliveryCounts,
} from '../../../shared/domain/deliveries/deliveryCounts.js';
import type { RawRecord } from '../../../shared/log/encoding/record.js';
import { deliveryRecords } from '../../../shared/log/records/deliveries.js';
import { encodeEvent } from '../../../shared/log/records/events.js';
import type { TopicName } from '../../../shared/log/topics/names.js';
import type { ModelPositions } from '../../../shared/store/models/generations.js';
import type { StatsDocument } from '../../../shared/store/models/statsDocuments.js';
import { canceled, deferred, failed, requested, succeeded } from '../../support/deliveryFacts.js';
import { secondsLater, testIdentifier, testRecordId } from '../../support/facts.js';
import { rawRecord } from '../../support/records.js';
import { appended, batchedFetches, batchesOf, foldAll, rewoundFetches } from '../foldedLog.js';
import { foldFromStart, memoryGeneration, readModelRecord } from '../foldedStats.js';
import { anyRepeats, eventHistories, eventNumber, withRepeats } from '../histories.js';

const account = testIdentifier('acct');
const webhookId = testIdentifier('wh');
/** The time of the first fact of a test is 2024-11-20T12:30:53.248Z. */
const minutes = (series: string) => `${account}/live/${series}/minute/2024-11-20T12/2`;
const hours = (series: string, partition = 2) => `${account}/live/${series}/hour/2024-11-20/${partition}`;

function documentsOf(...facts: readonly ReturnType<typeof succeeded>[]) {
  const records = facts.map((fact, offset) =>
    rawRecord(deliveryRecords.encode(fact, fact.context, 2), { partition: 2, offset }),
  );
  return foldAll(statsProjection, [records]);
}

describe('statsProjection', () => {
  const afterRetry = () =>
    documentsOf(
      failed({ number: 1, attemptedAt: secondsLater(1), statusCode: 503, durationMs: 0 }),
      succeeded({ number: 2, attemptedAt: secondsLater(20), durationMs: 0 }),
    );

  it('counts an attempt for its account and its webhook, by minute and by hour', () => {
    expect([...afterRetry().keys()]).to.have.members([
      minutes('all'),
      hours('all'),
      minutes(webhookId),
      hours(webhookId),
    ]);
  });

  it('counts each attempt in the minute in which it started', () => {
    const one = { events: 0, durations: { '0': 1 } };

    expect(afterRetry().get(minutes('all'))?.parts).to.deep.equal({
      '30': { ...one, succeeded: 0, failed: 1, statusCodes: { '503': 1 } },
      '31': { ...one, succeeded: 1, failed: 0, statusCodes: { '200': 1 } },
    });
  });

  it('counts an event for a webhook with its first attempt', () => {
    expect(afterRetry().get(hours(webhookId))?.parts['12']).to.deep.include({
      events: 1,
      succeeded: 1,
      failed: 1,
    });
    const { parts = {} } = afterRetry().get(minutes(webhookId)) ?? {};
    expect(Object.entries(parts).map(([minute, { events }]) => [minute, events])).to.deep.equal([
      ['30', 1],
      ['31', 0],
    ]);
  });

  it('changes a document only with records in partitions of one number', () => {
    fc.assert(
      fc.property(eventHistories.map(appended), batchedFetches, (partitions, plan) => {
        const batches = batchesOf(partitions, plan);
        const sources = [...foldAll(statsProjection, batches).values()].map(({ positions }) =>
          Object.keys(positions).map((source) => source.split('/')[1]),
        );

        expect(sources.filter((numbers) => new Set(numbers).size > 1)).to.deep.equal([]);
      }),
    );
  });

  it('counts only attempts', () => {
    const facts = [requested(1), deferred(secondsLater(1)), canceled()];

    expect([...documentsOf(...facts)]).to.deep.equal([]);
  });
});

/** The fold of version 1, which counted the records of all partitions in one document. */
const inVersion1: Projection<StatsDocument> = {
  ...statsProjection,
  read: (record) => {
    const decoded = statsProjection.read(record);
    return decoded.readable
      ? {
          readable: true,
          content: decoded.content.map(({ id, apply }) => {
            const _id = id.replace(/\/\d+$/, '');
            const applyInVersion1: typeof apply = (document) => {
              const after = apply(document);
              return after === null ? null : { ...after, _id };
            };
            return { id: _id, apply: applyInVersion1 };
          }),
        }
      : decoded;
  },
};

/** The counts of each minute and hour of every series, over all partitions. */
function countsIn(documents: ReadonlyMap<string, StatsDocument>) {
  const sums = new Map<string, DeliveryCounts>();
  for (const [id, { parts }] of documents) {
    for (const [number, counts] of Object.entries(parts)) {
      const name = `${id.replace(/\/\d+$/, '')}/${number}`;
      sums.set(name, mergedCounts(sums.get(name) ?? nothingCounted, counts));
    }
  }
  return sums;
}

/** The offset after the last record of these batches, by topic and partition. */
function positionsBehind(batches: readonly (readonly RawRecord[])[]): ModelPositions {
  const positions: Partial<Record<TopicName, Record<string, number>>> = {};
  for (const { topic, partition, offset } of batches.flat()) {
    positions[topic] = { ...positions[topic], [partition]: offset + 1 };
  }
  return positions;
}

describe('The series of tenants in stats', () => {
  const seriesOf = (documents: ReadonlyMap<string, StatsDocument>) =>
    [...documents.keys()].filter((id) => id.includes('/hour/')).map((id) => id.split('/')[2]);

  const eventOf = (tenantId: string | null, offset: number) =>
    rawRecord(encodeEvent({ ...eventNumber(1), tenantId }, 2), { partition: 2, offset });

  const attemptOf = (tenancy: string | null) => {
    const fact = succeeded();
    const context = { ...fact.context, ...(tenancy !== null && { tenantId: 'customer-1', tenancy }) };
    return rawRecord(deliveryRecords.encode(fact, context, 2), { partition: 2, offset: 0 });
  };

  for (const [what, record, series] of [
    ['an event without a tenant', eventOf(null, 0), ['all']],
    ['an event of a tenant', eventOf('customer-1', 0), ['all', 'assigned', 'tenant:customer-1']],
    ['an attempt of a webhook without a tenant', attemptOf(null), ['all', webhookId]],
    [
      'an attempt of a webhook of a tenant',
      attemptOf('life-1'),
      ['all', 'assigned', 'life:life-1', webhookId],
    ],
    ['an attempt of a webhook of every tenant', attemptOf('*'), ['all', 'assigned', webhookId]],
  ] as const) {
    it(`contain ${what} in ${series.join(', ')}`, () => {
      expect(seriesOf(foldAll(statsProjection, [[record]]))).to.have.members(series);
    });
  }

  it('have the offsets of the events in each part', () => {
    const records = [eventOf('customer-1', 4), eventOf('customer-1', 9)];
    const part = foldAll(statsProjection, [records]).get(hours('tenant:customer-1'))?.parts['12'];
    expect([part?.events, part?.offsets]).to.deep.equal([2, { lowest: 4, highest: 9 }]);
  });

  it('have no offsets in the parts of other series', () => {
    const part = foldAll(statsProjection, [[eventOf('customer-1', 4)]]).get(hours('all'))?.parts['12'];
    expect(part).to.not.have.property('offsets');
  });
});

describe('The conversion of stats from version 1', () => {
  const convert = statsProjection.conversions?.[1] ?? (() => []);

  it('counts every record once, at whatever offset folding begins and whenever each document is read', () => {
    fc.assert(
      fc.property(
        eventHistories.map(appended),
        batchedFetches,
        fc.nat(),
        fc.array(fc.nat(), { minLength: 1 }),
        (partitions, plan, from, later) => {
          const batches = batchesOf(partitions, plan);
          const begun = from % (batches.length + 1);
          const folded = positionsBehind(batches.slice(0, begun));
          const lastIds = [...foldAll(inVersion1, batches).keys()];
          const converted = lastIds.flatMap((id, index) => {
            const read = begun + ((later[index % later.length] ?? 0) % (batches.length - begun + 1));
            const document = foldAll(inVersion1, batches.slice(0, read)).get(id);
            return document === undefined ? [] : convert(document, folded);
          });
          const before = new Map(converted.map((document) => [document._id, document]));

          expect(countsIn(foldAll(statsProjection, batches.slice(begun), before))).to.deep.equal(
            countsIn(foldAll(statsProjection, batches)),
          );
        },
      ),
    );
  });

  it('creates one document from one whose counts no record changes any more', () => {
    const [document] = foldAll(inVersion1, [[0, 1].map((partition) => attemptIn(partition, 0))]).values();
    const made = document === undefined ? [] : convert(document, { deliveries: { '0': 1, '1': 1 } });

    expect(made).to.deep.equal([
      { ...document, _id: `${document?._id ?? ''}/0`, positions: { 'deliveries/0': 0 } },
    ]);
  });
});

function attemptIn(partition: number, offset: number): RawRecord {
  const fact = succeeded({ number: 2 });
  return rawRecord(deliveryRecords.encode(fact, fact.context, partition), { partition, offset });
}

const partsIn = (documents: ReadonlyMap<string, StatsDocument>) =>
  new Map([...documents].map(([id, { parts }]) => [id, parts]));

describe('The model stats', () => {
  it('is the same however its partitions are interleaved, wherever batches end, and if records are read again', () =>
    fc.assert(
      fc.asyncProperty(eventHistories.map(appended), rewoundFetches, async (partitions, fetched) => {
        expect(partsIn(await foldFromStart(partitions, batchesOf(partitions, fetched)))).to.deep.equal(
          partsIn(await foldFromStart(partitions, batchesOf(partitions, []))),
        );
      }),
    ));

  it('counts a record once that was appended twice', () =>
    fc.assert(
      fc.asyncProperty(eventHistories, anyRepeats, batchedFetches, async (records, repeats, plan) => {
        const once = appended(records);
        const twice = appended(withRepeats(records, repeats));

        expect(partsIn(await foldFromStart(twice, batchesOf(twice, plan)))).to.deep.equal(
          partsIn(await foldFromStart(once, batchesOf(once, []))),
        );
      }),
    ));

  it('counts a record once in a batch of several partitions', async () => {
    const { generation, documents } = memoryGeneration();
    const batches = [0, 1, 2].map((partition) => {
      const fact = succeeded({ number: 2 });
      const outgoing = deliveryRecords.encode(
        fact,
        { ...fact.context, id: testRecordId(partition) },
        partition,
      );
      const record = rawRecord(outgoing, { partition, offset: 7 });
      return { partition: record, records: [readModelRecord(record)], nextOffset: 8, filteredAt: Date.now() };
    });
    await createFoldBatches(generation)(batches, { ...createRecentRecordIds(10), isCurrent: () => true });

    const stored = [0, 1, 2].map((partition) => documents.get(hours('all', partition)));
    expect(stored.map((document) => [document?.positions, document?.parts['12']?.succeeded])).to.deep.equal([
      [{ 'deliveries/0': 7 }, 1],
      [{ 'deliveries/1': 7 }, 1],
      [{ 'deliveries/2': 7 }, 1],
    ]);
  });
});
