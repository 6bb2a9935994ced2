import { expect } from 'chai';

import { lostPartitions } from '../../../shared/connections/modelLoss.js';
import { lowestEventId } from '../../../shared/domain/events/expiry.js';
import type { Mongo } from '../../../shared/store/client/client.js';
import { createDocumentsBefore } from '../../../shared/store/generations/countDocumentsBefore.js';
import { metaId } from '../../../shared/store/models/generations.js';
import type { ModelName } from '../../../shared/store/models/modelDefinitions.js';
import { openNewDatabase } from '../../support/mongo.js';

describe('lostPartitions', () => {
  it('returns the partitions of which the live generation has read deleted records', () => {
    const live = { events: { '0': 3, '1': 5 }, deliveries: {} };
    const skipped = { events: { '0': 10, '1': 5 }, deliveries: { '2': 1, '3': 0 } };

    expect(lostPartitions(live, skipped)).to.have.deep.members([
      { topic: 'events', partition: 0, records: 7 },
      { topic: 'deliveries', partition: 2, records: 1 },
    ]);
  });

  it('returns all partitions with deleted records if the live generation has not counted its skipped ones', () => {
    expect(lostPartitions(undefined, { events: { '0': 2 } })).to.deep.equal([
      { topic: 'events', partition: 0, records: 2 },
    ]);
  });
});

describe('documentsBefore', () => {
  const at = new Date('2026-11-21T11:30:00.000Z');
  const minutesLater = (minutes: number) => new Date(at.getTime() + minutes * 60_000);
  let mongo: Mongo;

  before(async () => {
    mongo = await openNewDatabase();
  });

  const counted = async (model: ModelName, documents: readonly { readonly _id: string }[]) => {
    const generation = `${model}.v1.counted`;
    const collection = mongo.database.collection<{ readonly _id: string }>(generation);
    await collection.insertMany([{ _id: metaId }, ...documents]);
    return createDocumentsBefore(mongo.database).count(model, generation, at);
  };

  const eventId = (minutes: number) => lowestEventId(minutesLater(minutes));
  const statsId = (part: string) => ({ _id: `acct_1/live/all/${part}/0` });

  it('counts events by their ids, with a tolerance of a minute for clocks', async () => {
    const ids = [-60, -1, 0.5, 2].map((minutes) => ({ _id: eventId(minutes) }));
    expect(await counted('events', ids)).to.deep.equal({ documents: 3, allDocuments: 4 });
  });

  it('counts attempts by the ids of their events', async () => {
    const attempts = [-60, 2].map((minutes) => ({ _id: `att_${minutes}`, eventId: eventId(minutes) }));
    expect(await counted('attempts', attempts)).to.deep.equal({ documents: 1, allDocuments: 2 });
  });

  it('counts the hours and days of stats that began before', async () => {
    const ids = ['minute/2026-11-21T11', 'hour/2026-11-21', 'minute/2026-11-21T12', 'hour/2026-11-22'];
    expect(await counted('stats', ids.map(statsId))).to.deep.equal({ documents: 2, allDocuments: 4 });
  });

  it('counts all documents of a model whose topics are retained', async () => {
    expect(await counted('webhooks', [{ _id: 'wh_1' }])).to.deep.equal({ documents: 1, allDocuments: 1 });
  });
});
