import { expect } from 'chai';
import fc from 'fast-check';

import { eventsProjection } from '../../../projections/models/events.js';
import type { RawRecord } from '../../../shared/log/encoding/record.js';
import type { Mongo } from '../../../shared/store/client/client.js';
import { createGenerationConversion } from '../../../shared/store/generations/generationConversion.js';
import type { EventDocument } from '../../../shared/store/models/documents.js';
import { createErasure } from '../../../shared/store/queries/erasure.js';
import { createExpiredDocuments } from '../../../shared/store/queries/expiredDocuments.js';
import { countedFromEvents, countedFromStore } from '../../support/deliveryCounts.js';
import { testIdentifier } from '../../support/facts.js';
import { openNewDatabase } from '../../support/mongo.js';
import { beginGeneration, foldIntoGeneration, restartGeneration } from '../foldedGeneration.js';
import { appended, batchesOf, rewoundFetches, type Partitions } from '../foldedLog.js';
import { anyRepeats, eventHistories, withRepeats } from '../histories.js';

const runs = { numRuns: 15, endOnFailure: true };

/** A log with second records of events in another partition, appended before or after the first record. */
const anyLog: fc.Arbitrary<Partitions> = fc
  .tuple(
    eventHistories,
    anyRepeats,
    fc.array(fc.record({ event: fc.nat(2), earlier: fc.boolean() }), { maxLength: 2 }),
  )
  .map(([records, repeats, copies]) => {
    const log = appended(withRepeats(records, repeats));
    const events = log.flat().filter(({ topic }) => topic === 'events');
    return [...log, copies.flatMap(({ event, earlier }, index) => copyOf(events[event], index, earlier))];
  });

function copyOf(record: RawRecord | undefined, offset: number, isEarlier: boolean): readonly RawRecord[] {
  return record === undefined
    ? []
    : [{ ...record, partition: 9, offset, timestamp: record.timestamp + (isEarlier ? -1 : 1) }];
}

describe('The entries and counters of deliveries', () => {
  let mongo: Mongo;
  const generations = new Map<string, string>();

  before(async () => {
    mongo = await openNewDatabase();
  });

  /** An empty generation, which is live. Each run empties those of the run before, by their uses. */
  const begin = async (use = 'folded', version?: number) => {
    const earlier = generations.get(use);
    if (earlier !== undefined) {
      await restartGeneration(mongo.database, 'events', earlier, version);
      return earlier;
    }
    const name = await beginGeneration(mongo.database, 'events', version);
    generations.set(use, name);
    return name;
  };

  const foldInto = (generation: string, projection = eventsProjection) =>
    foldIntoGeneration(mongo.database, generation, projection);

  const foldAll = async (generation: string, batches: readonly (readonly RawRecord[])[]) => {
    const fold = foldInto(generation);
    for (const batch of batches) {
      await fold(batch);
    }
  };

  const expectExact = async (generation: string) => {
    const stored = await countedFromStore(mongo.database, generation);
    expect(stored).to.deep.equal(await countedFromEvents(mongo.database, generation));
  };

  it('equal a count over all events after every batch, in whatever order and however often it is read', () =>
    fc.assert(
      fc.asyncProperty(anyLog, rewoundFetches, async (partitions, plan) => {
        const generation = await begin();
        const fold = foldInto(generation);
        for (const batch of batchesOf(partitions, plan)) {
          await fold(batch);
          await expectExact(generation);
        }
      }),
      runs,
    ));

  it('equal a count over all events if two processes fold the same records at the same time', () =>
    fc.assert(
      fc.asyncProperty(anyLog, rewoundFetches, async (partitions, plan) => {
        const generation = await begin();
        const [one, other] = [foldInto(generation), foldInto(generation)];
        for (const batch of batchesOf(partitions, plan)) {
          await Promise.all([one(batch), other(batch)]);
        }
        await expectExact(generation);
      }),
      runs,
    ));

  it('equal a count over the events that remain after expiry, at any time', () =>
    fc.assert(
      fc.asyncProperty(
        anyLog,
        rewoundFetches,
        fc.array(fc.record({ after: fc.nat(20), event: fc.integer({ min: 1, max: 3 }) }), { maxLength: 4 }),
        async (partitions, plan, expiries) => {
          const generation = await begin();
          const fold = foldInto(generation);
          const expired = createExpiredDocuments(mongo.database);
          for (const [index, batch] of batchesOf(partitions, plan).entries()) {
            const ids = expiries
              .filter(({ after }) => after === index)
              .map(({ event }) => testIdentifier('evt', event));
            await Promise.all([fold(batch), expired.removeEvents(ids)]);
          }
          await expectExact(generation);
        },
      ),
      runs,
    ));

  it('are the same after a rebuild, and after a conversion of documents without entries', () =>
    fc.assert(
      fc.asyncProperty(anyLog, rewoundFetches, async (partitions, plan) => {
        const [folded, rebuilt] = [await begin(), await begin('rebuilt')];
        await foldAll(folded, batchesOf(partitions, plan));
        await foldAll(rebuilt, batchesOf(partitions, []));
        const [earlier, converted] = [await begin('earlier', 3), await begin('converted')];
        const fold = foldInto(earlier, { ...eventsProjection, entriesOf: () => [] });
        for (const batch of batchesOf(partitions, plan)) {
          await fold(batch);
        }
        await convertAll(earlier, converted);
        const live = await countedFromStore(mongo.database, folded);
        expect(await countedFromStore(mongo.database, rebuilt)).to.deep.equal(live);
        expect(await countedFromStore(mongo.database, converted)).to.deep.equal(live);
      }),
      runs,
    ));

  const convertAll = async (source: string, target: string) => {
    const { convertPage } = createGenerationConversion(mongo.database);
    const convert = (document: EventDocument) => [document];
    const page = { source, target, convert, entriesOf: eventsProjection.entriesOf };
    while ((await convertPage(page)) === 'converted') {
      // The next page follows.
    }
  };

  it('are removed with the documents of their account', async () => {
    const generation = await begin();
    const [log = []] = fc.sample(
      eventHistories.filter((records) => records.length > 10),
      { numRuns: 1, seed: 1 },
    );
    await foldAll(generation, appended(log));
    const [accountId, other] = [testIdentifier('acct'), testIdentifier('acct', 9)];
    const erase = async (id: string) => {
      const filter = eventsProjection.accountDocumentsFilter?.(id) ?? {};
      await createErasure(mongo.database).removePage('events', filter, 1000);
      return mongo.database.collection(generation).countDocuments({ $nor: [{ accountId: other }] });
    };

    expect({ kept: (await erase(other)) > 4, left: await erase(accountId) }).to.deep.equal({
      kept: true,
      // The meta document.
      left: 1,
    });
  });
});
