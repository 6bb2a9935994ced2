import { expect } from 'chai';

import { UnavailableError } from '../../../../shared/core/errors.js';
import type { Mongo } from '../../../../shared/store/client/client.js';
import { aliasCacheMs, createAliasCache } from '../../../../shared/store/models/aliasCache.js';
import { createGenerationCache } from '../../../../shared/store/models/generationCache.js';
import {
  aliasCollection,
  metaId,
  type AliasDocument,
  type MetaDocument,
} from '../../../../shared/store/models/generations.js';
import { createModelProgress } from '../../../../shared/store/models/modelProgress.js';
import { eventually } from '../../../support/eventually.js';
import { openNewDatabase } from '../../../support/mongo.js';

const [live, other] = ['events.v2.live', 'events.v2.other'];
const failureOf = (work: Promise<unknown>) => work.then(() => null).catch((error: unknown) => error);

describe('The generation cache', () => {
  let mongo: Mongo;
  before(async () => {
    mongo = await openNewDatabase();
  });
  beforeEach(async () => {
    await mongo.database.dropDatabase();
    await setAlias({});
    await addMeta(live, 5);
  });

  async function setAlias(fields: Partial<AliasDocument>) {
    const alias = { _id: 'events', live, ...fields };
    await mongo.database
      .collection<AliasDocument>(aliasCollection)
      .replaceOne({ _id: 'events' }, alias, { upsert: true });
  }

  async function addMeta(name: string, offset: number) {
    const positions = { events: { 0: offset } };
    await mongo.database
      .collection<MetaDocument>(name)
      .replaceOne({ _id: metaId }, { version: 2, complete: true, positions, target: {} }, { upsert: true });
  }

  const known = (version = 2) => {
    const { database } = mongo;
    return createGenerationCache({ database, aliasCache: createAliasCache(database) }, 'events', version);
  };

  /** The awaited generations of a process that has just started. */
  const reached = (offset: number) =>
    createModelProgress(known().awaited).reached('events', new Map([[0, offset]]), 500);

  const switching = { name: other, purpose: 'switch', state: 'switching' } as const;
  const previous = { name: other, written: true, documents: 1, successorDocuments: 1 };

  for (const [when, fields] of [
    ['before a switch', { building: switching }],
    ['after a switch', { previous }],
  ] as const) {
    it(`waits for both generations shortly ${when}`, async () => {
      await setAlias(fields);
      await addMeta(other, 4);
      const before = await reached(5);
      await addMeta(other, 5);
      expect([before, await reached(5)]).to.deep.equal([false, true]);
    });
  }

  it('waits for the live generation alone while another one is built', async () => {
    await setAlias({ building: { ...switching, state: 'building' } });
    await addMeta(other, 4);
    expect(await reached(5)).to.equal(true);
  });

  it('waits for no dropped generation next to the live one', async () => {
    await setAlias({ previous });
    expect(await reached(5)).to.equal(true);
  });

  it('reports no progress if the live generation was emptied', async () => {
    await mongo.database.collection(live).deleteMany({});
    await setAlias({ previous });
    await addMeta(other, 9);
    expect(await reached(5)).to.equal(false);
  });

  it('notices a switch within a second, and reads no more often', async () => {
    const one = known();
    const readings = [await one.read()];
    await setAlias({ live: other });
    readings.push(await one.read());
    const switchedAt = performance.now();
    let lastEarlierMs = 0;
    await eventually('the other one to be read', async () => {
      const begunMs = performance.now() - switchedAt;
      const isOther = (await one.read()) === other;
      lastEarlierMs = isOther ? lastEarlierMs : begunMs;
      return isOther ? true : null;
    });
    expect(readings).to.deep.equal([live, live]);
    // The time of a read counts from its begin, because a busy machine may delay its result.
    expect(lastEarlierMs).to.be.below(aliasCacheMs);
  });

  for (const [what, prepare, version] of [
    ['no generation was begun', () => mongo.database.collection(aliasCollection).deleteMany({}), 2],
    ['those that are there are of another version', () => Promise.resolve(), 3],
  ] as const) {
    it(`is unavailable if ${what}`, async () => {
      await prepare();
      const one = known(version);
      const failures = await Promise.all([failureOf(one.read()), failureOf(one.awaited())]);
      expect(failures.map((failure) => failure instanceof UnavailableError)).to.deep.equal([true, true]);
    });
  }
});
