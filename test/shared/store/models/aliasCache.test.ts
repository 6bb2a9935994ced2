import { expect } from 'chai';

import type { Mongo } from '../../../../shared/store/client/client.js';
import { createAliasCache, type AliasCache } from '../../../../shared/store/models/aliasCache.js';
import {
  aliasCollection,
  metaId,
  type AliasDocument,
  type MetaDocument,
} from '../../../../shared/store/models/generations.js';
import { eventually } from '../../../support/eventually.js';
import { readsDuring } from './countedReads.js';
import { openNewDatabase } from '../../../support/mongo.js';

const models = ['events', 'webhooks', 'accounts'] as const;
const nameOf = (model: string) => `${model}.v1.here`;
const generations = models.map(nameOf);
const always = () => true;

describe('The alias cache', () => {
  let mongo: Mongo;
  let aliasCache: AliasCache;
  before(async () => {
    mongo = await openNewDatabase();
  });
  beforeEach(async () => {
    await mongo.database.dropDatabase();
    await Promise.all(models.map(begin));
    aliasCache = createAliasCache(mongo.database);
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

  const metas = () => Promise.all(generations.map(aliasCache.metaOf));
  /** One after the other, so that the last read contains all of them and is valid until it expires. */
  const metasInTurn = async () => {
    for (const generation of generations) {
      await aliasCache.metaOf(generation);
    }
  };
  const areThere = async () => (await metas()).map((meta) => meta !== null);
  const readsOf = (work: () => Promise<unknown>) =>
    readsDuring(mongo.database, [aliasCollection, ...generations], work);

  it('reads once for all simultaneous callers', async () => {
    const asked = await readsOf(() =>
      Promise.all(models.map((model) => aliasCache.aliasOf(model, () => false))),
    );

    expect(asked).to.equal(1);
  });

  it('reads once for all calls within a second', async () => {
    await metasInTurn();
    const asked = await eventually('another question', async () => {
      const reads = await readsOf(async () => {
        await Promise.all(models.map((model) => aliasCache.aliasOf(model, always)));
        await metas();
        await aliasCache.aliasOf('events', always);
      });
      return reads === 0 ? null : reads;
    });

    expect(asked).to.equal(1);
  });

  it('returns the alias of each model, and the meta document of each generation', async () => {
    const { document } = await aliasCache.aliasOf('webhooks', always);
    const meta = await aliasCache.metaOf(nameOf('webhooks'));

    expect([document, meta?.positions]).to.deep.equal([
      { _id: 'webhooks', live: nameOf('webhooks') },
      { events: { 0: 1 } },
    ]);
  });

  it('reads a missing alias again at once', async () => {
    const before = await aliasCache.aliasOf('audit', always);
    await begin('audit', 0);
    const { document } = await aliasCache.aliasOf('audit', always);

    expect([before.document, document?.live]).to.deep.equal([null, nameOf('audit')]);
  });

  it('reads an unusable alias again at once', async () => {
    await aliasCache.aliasOf('events', always);

    expect(await readsOf(() => aliasCache.aliasOf('events', () => false))).to.equal(1);
  });

  it('reads the current aliases on request', async () => {
    await aliasCache.aliases();
    await begin('audit', 0);

    expect((await aliasCache.aliases()).has('audit')).to.equal(true);
  });

  it('notices that generations were emptied and dropped, and confuses them with no other', async () => {
    await metasInTurn();
    await mongo.database.collection(nameOf('events')).drop();
    await mongo.database.collection(nameOf('webhooks')).deleteMany({});
    const there = await eventually('the loss to be noticed', async () => {
      const answers = await areThere();
      return answers.includes(false) ? answers : null;
    });

    expect(there).to.deep.equal([false, false, true]);
  });

  it('notices that all generations were dropped', async () => {
    await mongo.database.dropDatabase();

    expect([await areThere(), await aliasCache.aliases()]).to.deep.equal([[false, false, false], new Map()]);
  });
});
