import { expect } from 'chai';
import { MongoClient, type Collection } from 'mongodb';

import type { Mongo } from '../../../../shared/store/client/client.js';
import {
  createGenerationProgress,
  type NextOffsets,
} from '../../../../shared/store/generations/generationProgress.js';
import {
  isReached,
  metaId,
  newGenerationName,
  type MetaDocument,
  type ModelPositions,
} from '../../../../shared/store/models/generations.js';
import { createOpened } from '../../../support/opened.js';
import { isolatedConfig } from '../../../support/settings.js';
import { openMongo } from '../../../support/mongo.js';

const target: ModelPositions = { events: { '0': 5, '1': 0, '2': 3 }, deliveries: { '0': 2 } };

describe('The progress of a generation', () => {
  const opened = createOpened();
  let mongo: Mongo;
  let url: string;
  let metas: Collection<MetaDocument>;
  before(async () => {
    ({ url } = (await isolatedConfig()).mongodb);
    mongo = await openMongo(url);
  });
  after(async () => {
    await mongo.database.dropDatabase();
  });
  afterEach(opened.releaseAll);
  beforeEach(() => {
    metas = mongo.database.collection(newGenerationName('stats', 1));
  });

  const begin = (meta: Partial<MetaDocument> = {}) =>
    metas.insertOne({ _id: metaId, version: 1, complete: false, positions: {}, target, ...meta });

  const stored = async () => {
    const meta = await metas.findOne({ _id: metaId });
    return { positions: meta?.positions, complete: meta?.complete };
  };

  const all: NextOffsets = [
    { topic: 'events', partition: 0, offset: 5 },
    { topic: 'events', partition: 2, offset: 4 },
    { topic: 'deliveries', partition: 0, offset: 2 },
  ];

  it('is complete with the write that reaches its target, and not before', async () => {
    await begin();
    const { advance } = createGenerationProgress(metas);
    await advance(all.slice(0, 2));
    const before = await stored();
    await advance(all.slice(2));

    expect([before.complete, await stored()]).to.deep.equal([
      false,
      { positions: { events: { '0': 5, '2': 4 }, deliveries: { '0': 2 } }, complete: true },
    ]);
  });

  it('is complete if the process crashes right after the write that reaches its target', async () => {
    await begin();
    const client = new MongoClient(url, { monitorCommands: true });
    opened.add('client', () => client.close());
    let writes = 0;
    client.on('commandStarted', ({ commandName }) => {
      writes += ['findAndModify', 'update'].includes(commandName) ? 1 : 0;
      // The process crashes before its second write.
      if (writes > 1) {
        throw new Error('dead');
      }
    });
    const own = client.db(mongo.database.databaseName).collection<MetaDocument>(metas.collectionName);
    await createGenerationProgress(own)
      .advance(all)
      .catch(() => null);

    expect([writes, (await stored()).complete]).to.deep.equal([1, true]);
  });

  it('never moves back, complete or not', async () => {
    await begin();
    const { advance } = createGenerationProgress(metas);
    const positions = [];
    for (const offset of [4, 2, 5, 1, 9, 3]) {
      await advance([...all.slice(1), { topic: 'events', partition: 0, offset }]);
      positions.push((await stored()).positions?.events?.['0']);
    }

    expect(positions).to.deep.equal([4, 4, 5, 5, 9, 9]);
  });

  it('is complete whichever of several processes reaches the last partition', async () => {
    await begin();
    const processes = all.map((next) => ({ next, ...createGenerationProgress(metas) }));
    const results = await Promise.all(processes.map(({ advance, next }) => advance([next])));

    expect([results, await stored()]).to.deep.equal([
      ['advanced', 'advanced', 'advanced'],
      { positions: { events: { '0': 5, '2': 4 }, deliveries: { '0': 2 } }, complete: true },
    ]);
  });

  it('completes a quiet generation at its opening if its process crashed before the second write', async () => {
    await begin({ positions: target });
    const positions = await createGenerationProgress(metas).positions();

    expect([positions, (await stored()).complete]).to.deep.equal([target, true]);
  });

  it('does not complete a generation at its opening that has not reached its target', async () => {
    const positions = { ...target, deliveries: { '0': 1 } };
    await begin({ positions });
    await createGenerationProgress(metas).positions();

    expect([isReached(positions, target), (await stored()).complete]).to.deep.equal([false, false]);
  });

  it('reports that the collection was emptied, complete or not', async () => {
    await begin();
    const unknown = createGenerationProgress(metas);
    const incomplete = createGenerationProgress(metas);
    const complete = createGenerationProgress(metas);
    await incomplete.advance(all.slice(1));
    await complete.advance(all);
    await metas.drop();
    const results = [unknown, incomplete, complete].map(({ advance }) => advance(all));

    expect([await Promise.all(results), await unknown.positions()]).to.deep.equal([
      ['emptied', 'emptied', 'emptied'],
      null,
    ]);
  });

  describe('over records that the log has deleted', () => {
    const skippedOf = async () => (await metas.findOne({ _id: metaId }))?.skipped;

    it('counts the unread ones, and advances', async () => {
      await begin({ positions: { events: { '0': 2 } } });
      await createGenerationProgress(metas).skip(all);
      expect([await skippedOf(), await stored()]).to.deep.equal([
        { events: { '0': 3, '2': 4 }, deliveries: { '0': 2 } },
        { positions: { events: { '0': 5, '2': 4 }, deliveries: { '0': 2 } }, complete: true },
      ]);
    });

    it('counts them once, however many processes skip them', async () => {
      await begin();
      await Promise.all([1, 2, 3].map(() => createGenerationProgress(metas).skip(all)));
      expect(await skippedOf()).to.deep.equal({ events: { '0': 5, '2': 4 }, deliveries: { '0': 2 } });
    });

    it('adds up several skips', async () => {
      await begin();
      const progress = createGenerationProgress(metas);
      await progress.skip([{ topic: 'events', partition: 0, offset: 2 }]);
      await progress.advance([{ topic: 'events', partition: 0, offset: 6 }]);
      await progress.skip([{ topic: 'events', partition: 0, offset: 9 }]);
      expect(await skippedOf()).to.deep.equal({ events: { '0': 5 } });
    });
  });
});
