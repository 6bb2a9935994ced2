import { expect } from 'chai';

import { UnavailableError } from '../../../../shared/core/errors.js';
import type { Mongo } from '../../../../shared/store/client/client.js';
import { createAliases, type Aliases } from '../../../../shared/store/generations/aliases.js';
import {
  createGenerationStore,
  type GenerationStore,
} from '../../../../shared/store/generations/generationStore.js';
import { modelDefinitions } from '../../../../shared/store/models/modelDefinitions.js';
import { metaId, type MetaDocument } from '../../../../shared/store/models/generations.js';
import { webhookIndexes } from '../../../../shared/store/models/indexes.js';
import { openNewDatabase } from '../../../support/mongo.js';

describe('The generation store', () => {
  let mongo: Mongo;
  let aliases: Aliases;
  let store: GenerationStore;

  before(async () => {
    mongo = await openNewDatabase();
    aliases = createAliases(mongo.database);
    store = createGenerationStore({
      database: mongo.database,
      offsets: { ends: () => Promise.resolve([3]) },
    });
  });
  beforeEach(() => mongo.database.dropDatabase());

  const collectionNames = async (pattern: RegExp) =>
    (await mongo.database.listCollections({ name: pattern }, { nameOnly: true }).toArray()).map(
      ({ name }) => name,
    );

  it('creates a model once, however many processes create it', async () => {
    const begun = await Promise.all(Array.from({ length: 5 }, () => store.ensureLive('webhooks')));
    const { live } = begun[0] ?? { live: '' };
    expect({
      distinct: new Set(begun.map((alias) => alias.live)).size,
      collections: await collectionNames(/^webhooks\./),
    }).to.deep.equal({ distinct: 1, collections: [live] });
  });

  it('creates it at the start of the log, with the end of the log as its target', async () => {
    const { live } = await store.ensureLive('webhooks');
    expect(await store.metaOf(live)).to.deep.include({
      _id: metaId,
      version: modelDefinitions.webhooks.version,
      complete: false,
      positions: {},
      target: { webhooks: { 0: 3 } },
    });
  });

  it('creates another generation if the live one was emptied', async () => {
    const { live } = await store.ensureLive('webhooks');
    await mongo.database.collection<MetaDocument>(live).deleteMany({});
    const { live: next } = await store.ensureLive('webhooks');
    expect([next === live, await collectionNames(/^webhooks\./)]).to.deep.equal([false, [next]]);
  });

  describe('with the documents of the live generation', () => {
    const folded = { positions: { webhooks: { 0: 2 } }, skipped: { webhooks: { 0: 1 } } };
    let live: string;
    beforeEach(async () => {
      ({ live } = await store.ensureLive('webhooks'));
      await mongo.database
        .collection<MetaDocument>(live)
        .updateOne({ _id: metaId }, { $set: { complete: true, ...folded } });
    });

    it('starts another one at the positions of the live one, incomplete until they are converted', async () => {
      const name = (await store.startBuilding('webhooks', 'switch', { source: live })) ?? '';
      expect(await store.metaOf(name)).to.deep.include({ ...folded, complete: false });
    });

    it('lists the source, and that no process folds it yet', async () => {
      const name = await store.startBuilding('webhooks', 'switch', { source: live, lossAccepted: true });
      expect((await aliases.find('webhooks'))?.building).to.deep.equal({
        name,
        purpose: 'switch',
        state: 'converting',
        source: live,
        lossAccepted: true,
      });
    });

    it('starts none if they were dropped', async () => {
      await mongo.database.collection(live).drop();
      const outcome = await store
        .startBuilding('webhooks', 'switch', { source: live })
        .catch((error: unknown) => error);
      expect(outcome).to.be.instanceOf(UnavailableError);
    });
  });

  it('does not change a live generation of another version', async () => {
    const { live } = await store.ensureLive('webhooks');
    const older = 'webhooks.v0.older';
    await mongo.database.collection<MetaDocument>(live).rename(older);
    await mongo.database
      .collection<{ _id: string }>('models')
      .updateOne({ _id: 'webhooks' }, { $set: { live: older } });
    expect((await store.ensureLive('webhooks')).live).to.equal(older);
  });

  it('builds one at a time', async () => {
    await store.ensureLive('webhooks');
    const started = await Promise.all(
      Array.from({ length: 3 }, () => store.startBuilding('webhooks', 'switch')),
    );
    const building = (await aliases.find('webhooks'))?.building?.name;
    expect({
      started: started.filter((name) => name !== null),
      collections: (await collectionNames(/^webhooks\./)).length,
    }).to.deep.equal({ started: [building], collections: 2 });
  });

  it('builds one for a comparison up to the end that the log had', async () => {
    await store.ensureLive('webhooks');
    await store.startBuilding('webhooks', 'check');
    expect((await aliases.find('webhooks'))?.building?.until).to.deep.equal({ webhooks: { 0: 3 } });
  });

  it('builds the missing indexes of a generation', async () => {
    const { live } = await store.ensureLive('webhooks');
    await mongo.database.collection(live).dropIndexes();
    await store.ensureIndexes('webhooks', live);
    const indexes = await mongo.database.collection(live).indexes();
    expect(indexes.map(({ key }) => key)).to.deep.include(webhookIndexes.list.key);
  });

  it('drops unlisted generations, and none of another model', async () => {
    const { live } = await store.ensureLive('webhooks');
    const building = await store.startBuilding('webhooks', 'switch');
    await mongo.database.createCollection('webhooks.v2.left');
    await mongo.database.createCollection('webhooksOther.v2.left');
    await store.dropUnlisted('webhooks', []);
    expect((await collectionNames(/^webhooks/)).sort()).to.deep.equal(
      [live, building, 'webhooksOther.v2.left'].sort(),
    );
  });

  it('keeps a generation that was started just now, unless it is named', async () => {
    await store.ensureLive('webhooks');
    const begun = (await store.startBuilding('webhooks', 'switch')) ?? '';
    await aliases.unlist('webhooks', begun);
    const results = [
      await store.dropUnlisted('webhooks', []),
      (await collectionNames(/^webhooks/)).length,
      await store.dropUnlisted('webhooks', [begun]),
      (await collectionNames(/^webhooks/)).length,
    ];
    expect(results).to.deep.equal([false, 2, true, 1]);
  });

  it('counts documents without its own meta document', async () => {
    const { live } = await store.ensureLive('webhooks');
    await mongo.database.collection<{ _id: string }>(live).insertMany([{ _id: 'wh_1' }, { _id: 'wh_2' }]);
    expect(await store.countOf(live)).to.equal(2);
  });
});
