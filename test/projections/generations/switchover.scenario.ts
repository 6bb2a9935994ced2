import { expect } from 'chai';

import type { ConvertSlice } from '../../../projections/generations/conversion.js';
import { createSwitchComparison } from '../../../projections/generations/switchComparison.js';
import {
  createSwitchover,
  type Switchover,
  type SwitchoverTimes,
} from '../../../projections/generations/switchover.js';
import type { Mongo } from '../../../shared/store/client/client.js';
import { createAliases, type Aliases } from '../../../shared/store/generations/aliases.js';
import {
  createGenerationStore,
  type GenerationStore,
} from '../../../shared/store/generations/generationStore.js';
import {
  aliasCollection,
  metaId,
  type AliasDocument,
  type MetaDocument,
} from '../../../shared/store/models/generations.js';
import { modelDefinitions } from '../../../shared/store/models/modelDefinitions.js';
import { openNewDatabase } from '../../support/mongo.js';

const { version } = modelDefinitions.webhooks;
const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };
const atOnce: SwitchoverTimes = { cacheExpiry: 0, catchUp: 50, previousWritten: 0, comparisonTimeout: 0 };
const never = 3_600_000;

describe('The switchover of a rebuild', () => {
  let mongo: Mongo;
  let aliases: Aliases;
  let store: GenerationStore;
  let live: string;
  let built: string;
  /** How many deleted records the live generation has read and the new one has not. */
  let lostRecords: number;
  let convert: ConvertSlice;

  before(async () => {
    mongo = await openNewDatabase();
    aliases = createAliases(mongo.database);
    store = createGenerationStore({
      database: mongo.database,
      offsets: { ends: () => Promise.resolve([10]) },
    });
  });
  beforeEach(async () => {
    await mongo.database.dropDatabase();
    [lostRecords, convert] = [0, () => Promise.resolve('continues')];
    ({ live } = await store.ensureLive('webhooks'));
    built = (await store.startBuilding('webhooks', 'switch')) ?? '';
    await setMeta(live, { complete: true, positions: upTo(20) });
  });

  const upTo = (offset: number) => ({ webhooks: { 0: offset } });

  const setMeta = (generation: string, fields: Partial<MetaDocument>) =>
    mongo.database.collection<MetaDocument>(generation).updateOne({ _id: metaId }, { $set: fields });

  const aliasNow = async (): Promise<AliasDocument> =>
    (await aliases.find('webhooks')) ?? { _id: 'webhooks', live: '' };

  const losses = {
    of: () => {
      const counted = { before: new Date(), documents: lostRecords, allDocuments: lostRecords };
      return Promise.resolve(
        lostRecords === 0 ? null : { model: 'webhooks' as const, records: lostRecords, ...counted },
      );
    },
  };
  const passed = () => Promise.resolve(true);

  const addDocuments = (generation: string, ...ids: readonly string[]) =>
    mongo.database.collection<{ _id: string }>(generation).insertMany(ids.map((_id) => ({ _id })));

  /** One of the processes that take the steps of a rebuild. */
  function process(times: Partial<SwitchoverTimes> = {}): Switchover {
    return createSwitchover({
      model: 'webhooks',
      version,
      aliases,
      store,
      convert: (generation) => convert(generation),
      compare: createSwitchComparison({ model: 'webhooks', store, losses, reachesEnd: passed }),
      logger,
      dropEnded: async () => store.dropUnlisted('webhooks', await collectionNames()),
      times: { ...atOnce, ...times },
    });
  }

  async function advanced(one: Switchover, times: number): Promise<AliasDocument> {
    for (let time = 0; time < times; time += 1) {
      await one.advance(await aliasNow());
    }
    return aliasNow();
  }

  const collectionNames = async () =>
    (await mongo.database.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name).sort();

  it('waits for a generation that is not complete', async () => {
    await setMeta(built, { complete: false, positions: upTo(20) });
    expect((await advanced(process(), 3)).building?.state).to.equal('building');
  });

  it('waits for a generation that is more than a second behind', async () => {
    await setMeta(built, { complete: true, positions: upTo(19) });
    expect((await advanced(process(), 3)).building?.state).to.equal('building');
  });

  it('makes all processes wait for both generations before the switch', async () => {
    await setMeta(built, { complete: true, positions: upTo(20) });
    const { live: liveThen, building } = await advanced(process({ cacheExpiry: never }), 5);
    expect([liveThen, building?.state]).to.deep.equal([live, 'switching']);
  });

  it('switches to the new generation, keeps the previous one, and counts both', async () => {
    await setMeta(built, { complete: true, positions: upTo(20) });
    await mongo.database.collection<{ _id: string }>(built).insertOne({ _id: 'wh_1' });
    expect(await advanced(process({ previousWritten: never }), 3)).to.deep.equal({
      _id: 'webhooks',
      live: built,
      previous: { name: live, written: true, documents: 0, successorDocuments: 1 },
    });
  });

  it('switches only when the new generation has passed the current positions of the live one', async () => {
    await setMeta(built, { complete: true, positions: upTo(20) });
    const one = process();
    await advanced(one, 2);
    await setMeta(live, { positions: upTo(21) });
    const { live: liveThen, building } = await advanced(one, 1);
    expect([liveThen, building?.state]).to.deep.equal([live, 'building']);
  });

  it('continues after a crash between two steps', async () => {
    await setMeta(built, { complete: true, positions: upTo(20) });
    await advanced(process({ cacheExpiry: never }), 2);
    expect((await advanced(process(), 1)).live).to.equal(built);
  });

  it('stops writing the previous generation after its time', async () => {
    await setMeta(built, { complete: true, positions: upTo(20) });
    const { previous } = await advanced(process(), 4);
    expect(previous).to.deep.include({ name: live, written: false });
  });

  it('continues to write a previous generation of another version', async () => {
    const older = 'webhooks.v0.older';
    await mongo.database
      .collection<AliasDocument>(aliasCollection)
      .updateOne({ _id: 'webhooks' }, { $set: { live: older } });
    await setMeta(built, { complete: true, positions: upTo(20) });
    const { previous } = await advanced(process(), 6);
    expect(previous).to.deep.include({ name: older, written: true });
  });

  it('ignores a generation that another version builds', async () => {
    await setMeta(built, { complete: true, positions: upTo(20) });
    await mongo.database
      .collection<AliasDocument>(aliasCollection)
      .updateOne({ _id: 'webhooks' }, { $set: { 'building.name': 'webhooks.v99.other' } });
    expect((await advanced(process(), 4)).live).to.equal(live);
  });

  it('drops the generation that a switch leaves unlisted', async () => {
    await setMeta(built, { complete: true, positions: upTo(20) });
    await advanced(process(), 4);
    const third = (await store.startBuilding('webhooks', 'switch')) ?? '';
    await setMeta(third, { complete: true, positions: upTo(20) });
    await advanced(process(), 4);
    expect(await collectionNames()).to.deep.equal([aliasCollection, built, third].sort());
  });

  it('gives up a rebuild whose documents were emptied', async () => {
    await mongo.database.collection(built).drop();
    expect((await advanced(process(), 1)).building).to.equal(undefined);
  });

  describe('to a generation with fewer documents', () => {
    beforeEach(async () => {
      await setMeta(built, { complete: true, positions: upTo(20) });
      await addDocuments(live, 'wh_1', 'wh_2');
      await addDocuments(built, 'wh_1');
    });

    it('repeats the comparison before it rejects the generation', async () => {
      const { live: liveThen, building } = await advanced(process(), 4);
      expect([liveThen, building?.state]).to.deep.equal([live, 'switching']);
    });

    it('rejects the generation after the last comparison, and records both counts', async () => {
      expect(await advanced(process(), 6)).to.deep.equal({
        _id: 'webhooks',
        live,
        rejected: { name: built, documents: 2, rejectedDocuments: 1, lostRecords: 0 },
      });
    });

    it('switches if the documents have appeared', async () => {
      const one = process();
      await advanced(one, 4);
      await addDocuments(built, 'wh_2');
      expect((await advanced(one, 1)).live).to.equal(built);
    });

    it('switches if the documents were erased in both generations', async () => {
      const one = process();
      await advanced(one, 4);
      await mongo.database.collection<{ _id: string }>(live).deleteOne({ _id: 'wh_2' });
      expect((await advanced(one, 1)).live).to.equal(built);
    });

    it('switches if the operator has accepted the loss', async () => {
      await aliases.acceptLoss('webhooks', built);
      expect((await advanced(process(), 3)).live).to.equal(built);
    });
  });

  it('rejects a generation that lacks records which the live one has read', async () => {
    await setMeta(built, { complete: true, positions: upTo(20) });
    lostRecords = 7;
    const { live: liveThen, rejected } = await advanced(process(), 3);
    expect([liveThen, rejected?.lostRecords]).to.deep.equal([live, 7]);
  });

  describe('after a conversion', () => {
    beforeEach(async () => {
      await aliases.unlist('webhooks', built);
      built = (await store.startBuilding('webhooks', 'switch', { source: live })) ?? '';
    });

    it('does not switch while documents are converted', async () => {
      const { live: liveThen, building } = await advanced(process(), 5);
      expect([liveThen, building?.state]).to.deep.equal([live, 'converting']);
    });

    it('starts the fold of the generation after the last document', async () => {
      convert = ({ source, target }) =>
        Promise.resolve(source === live && target === built ? 'ended' : 'given up');
      expect((await advanced(process(), 1)).building?.state).to.equal('building');
    });

    it('gives up the rebuild if the converted generation was dropped', async () => {
      convert = () => Promise.resolve('given up');
      expect((await advanced(process(), 1)).building).to.equal(undefined);
    });

    it('gives up the rebuild if another generation has become live', async () => {
      convert = () => Promise.resolve('ended');
      await mongo.database
        .collection<AliasDocument>(aliasCollection)
        .updateOne({ _id: 'webhooks' }, { $set: { live: 'webhooks.v2.other' } });
      expect((await advanced(process(), 1)).building).to.equal(undefined);
    });
  });

  describe('for a comparison', () => {
    beforeEach(async () => {
      await aliases.unlist('webhooks', built);
      await store.dropUnlisted('webhooks', [built]);
      built = (await store.startBuilding('webhooks', 'check')) ?? '';
      await setMeta(built, { complete: true, positions: upTo(20) });
    });

    it('never switches', async () => {
      expect((await advanced(process({ comparisonTimeout: never }), 5)).live).to.equal(live);
    });

    it('drops the generation once its command has ended', async () => {
      await advanced(process(), 2);
      expect(await collectionNames()).to.deep.equal([aliasCollection, live].sort());
    });
  });
});
