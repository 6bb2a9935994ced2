import { expect } from 'chai';

import { connectMongo, type Mongo } from '../../../shared/mongo/client.js';
import { metaId, type MetaDocument } from '../../../shared/mongo/generations.js';
import { createPresence } from '../../../shared/mongo/presence.js';
import { eventually } from '../../support/eventually.js';
import { isolatedConfig } from '../../support/settings.js';
import { questionsDuring } from './questions.js';

const generations = ['events.v1.here', 'webhooks.v1.here', 'accounts.v1.here'] as const;

describe('shared/mongo/presence', () => {
  let mongo: Mongo;
  before(async () => {
    mongo = await connectMongo((await isolatedConfig()).mongodb.url, 'test');
  });
  beforeEach(async () => {
    await mongo.database.dropDatabase();
    await Promise.all(
      generations.map((name) =>
        mongo.database
          .collection<MetaDocument>(name)
          .insertOne({ _id: metaId, version: 1, complete: true, positions: {}, target: {} }),
      ),
    );
  });
  after(async () => {
    await mongo.database.dropDatabase();
    await mongo.close();
  });

  const askedBy = (presence: ReturnType<typeof createPresence>) =>
    Promise.all(generations.map(presence.isThere));

  it('asks once for all that want to know within a second', async () => {
    const presence = createPresence(mongo.database);
    await askedBy(presence);
    await eventually('another question', async () => {
      const questions = await questionsDuring(mongo.database, generations, async () => {
        await askedBy(presence);
        await askedBy(presence);
      });
      return questions === 0 ? null : expect(questions).to.equal(1);
    });
  });

  for (const [what, empty] of [
    ['emptied', () => mongo.database.collection(generations[1]).deleteMany({})],
    ['dropped', () => mongo.database.collection(generations[0]).drop()],
  ] as const) {
    it(`notices one that is ${what}, and takes no other for it`, async () => {
      const presence = createPresence(mongo.database);
      await askedBy(presence);
      await empty();
      const there = await eventually('the loss to be noticed', async () => {
        const answers = await askedBy(presence);
        return answers.includes(false) ? answers : null;
      });

      expect(there.filter((isThere) => !isThere)).to.have.length(1);
    });
  }

  it('notices that all are gone', async () => {
    await mongo.database.dropDatabase();
    const presence = createPresence(mongo.database);

    expect(await askedBy(presence)).to.deep.equal([false, false, false]);
  });
});
