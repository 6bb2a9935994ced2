import { expect } from 'chai';
import fc from 'fast-check';

import { eventsProjection } from '../../../../projections/models/events.js';
import type { Mongo } from '../../../../shared/store/client/client.js';
import { derivedDifferences } from '../../../../shared/store/entries/derivedDifferences.js';
import {
  countersIdOf,
  entryIdOf,
  type CountersDocument,
  type EntryDocument,
} from '../../../../shared/store/models/documents.js';
import { deliveryRecords } from '../../../../shared/log/records/deliveries.js';
import { encodeEvent } from '../../../../shared/log/records/events.js';
import { beginGeneration, foldIntoGeneration } from '../../../projections/foldedGeneration.js';
import { appended, batchesOf, rewoundFetches, type Partitions } from '../../../projections/foldedLog.js';
import { eventHistories, eventNumber } from '../../../projections/histories.js';
import { failedForGood } from '../../../support/deliveryFacts.js';
import { contextOf, testIdentifier, testRecordId } from '../../../support/facts.js';
import { openNewDatabase } from '../../../support/mongo.js';

const [accountId, webhookId] = [testIdentifier('acct'), testIdentifier('wh')];

describe('The check of entries and counters', () => {
  // Each run creates a collection with all its indexes.
  let mongo: Mongo;
  let generation: string;

  before(async () => {
    mongo = await openNewDatabase();
  });
  beforeEach(async () => {
    generation = await beginGeneration(mongo.database, 'events');
  });

  const foldAll = async (log: Partitions, plan: Parameters<typeof batchesOf>[1] = []) => {
    const fold = foldIntoGeneration(mongo.database, generation, eventsProjection);
    for (const batch of batchesOf(log, plan)) {
      await fold(batch);
    }
  };

  /** Folds three events, whose deliveries to the webhook have failed. */
  const foldFailures = () =>
    foldAll(
      appended(
        [1, 2, 3].flatMap((number) => {
          const context = contextOf(testIdentifier('evt', number), { id: testRecordId(number) });
          return [encodeEvent(eventNumber(number)), deliveryRecords.encode(failedForGood(), context, 0)];
        }),
      ),
    );

  const found = async () => {
    const all: string[] = [];
    for await (const { id, difference } of derivedDifferences(mongo.database, generation, 1)) {
      all.push(`${id} ${difference}`);
    }
    return all;
  };

  const entries = () => mongo.database.collection<EntryDocument>(generation);
  const counters = () => mongo.database.collection<CountersDocument>(generation);
  const entryId = (event: number) => entryIdOf(accountId, webhookId, testIdentifier('evt', event));

  /** The one document with the counters of an event. */
  const countersOf = async (event: number) => {
    const entry = await entries().findOne({ _id: entryId(event) });
    return countersIdOf(accountId, webhookId, entry?.entry.home ?? -1);
  };

  it('finds no difference in the result of any history', () =>
    fc.assert(
      fc.asyncProperty(eventHistories, rewoundFetches, async (records, plan) => {
        generation = await beginGeneration(mongo.database, 'events');
        await foldAll(appended(records), plan);
        expect(await found()).to.deep.equal([]);
      }),
      { numRuns: 6, endOnFailure: true },
    ));

  it('finds an entry that is missing, and the counters that still count it', async () => {
    await foldFailures();
    const id = await countersOf(1);
    const before = await counters().findOne({ _id: id });
    await entries().deleteOne({ _id: entryId(1) });
    const failed = before?.counters.failed ?? 0;
    expect(await found()).to.deep.equal([
      `${entryId(1)} missing from the read model`,
      `${id} counts ${failed} errors.http_status/500 instead of ${failed - 1}, ${failed} failed instead of ${failed - 1}`,
    ]);
  });

  it('finds an entry that differs from the delivery', async () => {
    await foldFailures();
    await entries().updateOne({ _id: entryId(2) }, { $set: { 'entry.delivery.cycle': 7 } });
    expect(await found()).to.deep.equal([`${entryId(2)} differs from the delivery of its event`]);
  });

  it('finds an entry without an event', async () => {
    await foldFailures();
    const id = await countersOf(3);
    const failed = (await counters().findOne({ _id: id }))?.counters.failed ?? 0;
    await entries().deleteOne({ _id: testIdentifier('evt', 3) });
    await counters().updateOne({ _id: id }, { $inc: { 'counters.failed': -1 } });
    expect(await found()).to.deep.equal([
      `${entryId(3)} belongs to no event`,
      `${id} counts ${failed - 1} failed instead of ${failed}`,
    ]);
  });

  it('finds counters of a webhook without entries', async () => {
    await foldFailures();
    const id = countersIdOf(accountId, testIdentifier('wh', 9), 4);
    await counters().insertOne({
      _id: id,
      positions: {},
      counters: { webhookId: testIdentifier('wh', 9), pending: 2, canceled: 0 },
    });
    expect(await found()).to.deep.equal([`${id} counts 2 pending instead of 0`]);
  });
});
