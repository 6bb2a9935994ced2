import { expect } from 'chai';

import { connectMongo, type Mongo } from '../../../../shared/store/client/client.js';
import {
  aliasCollection,
  metaId,
  type AliasDocument,
  type MetaDocument,
} from '../../../../shared/store/models/generations.js';
import { createAliasCache, type AliasCache } from '../../../../shared/store/models/aliasCache.js';
import { eventually } from '../../../support/eventually.js';
import { isolatedConfig } from '../../../support/settings.js';
import { questionsDuring } from './questions.js';

const models = ['events', 'webhooks', 'accounts'] as const;
const nameOf = (model: string) => `${model}.v1.here`;
const generations = models.map(nameOf);
const always = () => true;

describe('shared/mongo/aliasCache', () => {
  let mongo: Mongo;
  let watch: AliasCache;
  before(async () => {
    mongo = await connectMongo((await isolatedConfig()).mongodb.url, 'test');
  });
  beforeEach(async () => {
    await mongo.database.dropDatabase();
    await Promise.all(models.map(begin));
    watch = createAliasCache(mongo.database);
  });
  after(async () => {
    await mongo.database.dropDatabase();
    await mongo.close();
  });

  const begin = async (model: string, offset: number) => {
    const name = nameOf(model);
    const positions = { events: { 0: offset } };
    await mongo.database
      .collection<MetaDocument>(name)
      .insertOne({ _id: metaId, version: 1, complete: true, positions, target: {} });
    await mongo.database
      .collection<AliasDocument>(aliasCollection)
      .insertOne({ _id: model, live: nameOf(model) });
  };

  const metas = () => Promise.all(generations.map(watch.metaOf));
  /** One after the other: so the last answer has all of them, and is as good as any until it is too old. */
  const metasInTurn = async () => {
    for (const generation of generations) {
      await watch.metaOf(generation);
    }
  };
  const areThere = async () => (await metas()).map((meta) => meta !== null);
  const questionsOf = (work: () => Promise<unknown>) =>
    questionsDuring(mongo.database, [aliasCollection, ...generations], work);

  it('asks once for all who want to know at the same time', async () => {
    const asked = await questionsOf(() =>
      Promise.all(models.map((model) => watch.aliasOf(model, () => false))),
    );

    expect(asked).to.equal(1);
  });

  it('asks once for all that is wanted within a second', async () => {
    await metasInTurn();
    const asked = await eventually('another question', async () => {
      const questions = await questionsOf(async () => {
        await Promise.all(models.map((model) => watch.aliasOf(model, always)));
        await metas();
        await watch.aliasOf('events', always);
      });
      return questions === 0 ? null : questions;
    });

    expect(asked).to.equal(1);
  });

  it('gives each model its alias, and each generation how far it is', async () => {
    const { document } = await watch.aliasOf('webhooks', always);
    const meta = await watch.metaOf(nameOf('webhooks'));

    expect([document, meta?.positions]).to.deep.equal([
      { _id: 'webhooks', live: nameOf('webhooks') },
      { events: { 0: 1 } },
    ]);
  });

  it('asks again at once for an alias that was not there', async () => {
    const before = await watch.aliasOf('audit', always);
    await begin('audit', 0);
    const { document } = await watch.aliasOf('audit', always);

    expect([before.document, document?.live]).to.deep.equal([null, nameOf('audit')]);
  });

  it('asks again at once for an alias that is of no use', async () => {
    await watch.aliasOf('events', always);

    expect(await questionsOf(() => watch.aliasOf('events', () => false))).to.equal(1);
  });

  it('reads the aliases as they are now, where that is asked for', async () => {
    await watch.aliases();
    await begin('audit', 0);

    expect((await watch.aliases()).has('audit')).to.equal(true);
  });

  for (const [what, empty] of [
    ['emptied', () => mongo.database.collection(nameOf('webhooks')).deleteMany({})],
    ['dropped', () => mongo.database.collection(nameOf('events')).drop()],
  ] as const) {
    it(`notices a generation that is ${what}, and takes no other for it`, async () => {
      await metasInTurn();
      await empty();
      const there = await eventually('the loss to be noticed', async () => {
        const answers = await areThere();
        return answers.includes(false) ? answers : null;
      });

      expect(there.filter((isThere) => !isThere)).to.have.length(1);
    });
  }

  it('notices that all are gone', async () => {
    await mongo.database.dropDatabase();

    expect([await areThere(), await watch.aliases()]).to.deep.equal([[false, false, false], new Map()]);
  });
});
