import { expect } from 'chai';
import { BSON } from 'mongodb';

import { UnavailableError } from '../../../../shared/core/errors.js';
import {
  aliasCollection,
  metaId,
  newGenerationName,
  type AliasDocument,
} from '../../../../shared/store/models/generations.js';
import { eventIndexes } from '../../../../shared/store/models/indexes.js';
import { modelDefinitions } from '../../../../shared/store/models/modelDefinitions.js';
import {
  addMeta,
  eventDocument,
  openStoredEvents,
  type StoredEvents,
} from '../../../api/support/storedEvents.js';
import { start, testIdentifier } from '../../../support/facts.js';

const accountId = testIdentifier('acct');
const sort = { created: -1, _id: -1 } as const;
const page = { ranges: [{ filter: { accountId }, sort }], limit: 10, index: eventIndexes.all.key };

/** Longer than a process caches the name of the live collection. */
const slowly = { $where: 'sleep(1200) || true' };

/** MongoDB's error code. */
const maxTimeMsExpired = 50;

const failureOf = (work: Promise<unknown>) => work.then(() => null).catch((error: unknown) => error);

describe('A page of a read model', () => {
  let stored: StoredEvents;
  beforeEach(async () => {
    stored = await openStoredEvents();
    const id = testIdentifier('evt');
    await stored.collection.insertOne(
      eventDocument({ accountId, id, type: 'a', created: start, deliveries: [] }),
    );
  });
  afterEach(() => stored.close());

  it('contains the documents of its ranges in their order, up to the limit', async () => {
    const ranges = [...page.ranges, ...page.ranges, ...page.ranges];
    expect(await stored.models.events.findPage({ ...page, ranges, limit: 2 })).to.have.length(2);
  });

  it('of a list ends with the document that reaches its size, and has at least one document', async () => {
    const more = [2, 3, 4].map((number) => testIdentifier('evt', number));
    await stored.collection.insertMany(
      more.map((id) => eventDocument({ accountId, id, type: 'a', created: start, deliveries: [] })),
    );
    const bytes = BSON.calculateObjectSize((await stored.models.events.findPage(page))[0] ?? {});
    const sizes = [1, bytes, bytes + 1, 4 * bytes - 1].map(async (maximumBytes) => {
      const { documents, hasMore } = await stored.models.events.findListPage({ ...page, maximumBytes });
      return [documents.length, hasMore];
    });
    expect(await Promise.all(sizes)).to.deep.equal([
      [1, true],
      [1, true],
      [2, true],
      [4, false],
    ]);
  });

  it('of a list has at most its limit, over all its ranges', async () => {
    const ranges = [...page.ranges, ...page.ranges, ...page.ranges];
    const read = (limit: number) =>
      stored.models.events.findListPage({ ...page, ranges, limit, maximumBytes: 100_000 });
    const pages = [await read(2), await read(3)];
    expect(pages.map(({ documents, hasMore }) => [documents.length, hasMore])).to.deep.equal([
      [2, true],
      [3, false],
    ]);
  });

  it('is unavailable if the model is incomplete', async () => {
    await stored.database
      .collection<{ _id: string }>(stored.collection.collectionName)
      .updateOne({ _id: metaId }, { $set: { complete: false } });
    expect(await failureOf(stored.models.events.findPage(page))).to.be.instanceOf(UnavailableError);
  });

  it('is unavailable if the model was emptied', async () => {
    await stored.collection.deleteMany({});
    expect(await failureOf(stored.models.events.findPage(page))).to.be.instanceOf(UnavailableError);
  });

  it('depends on the collection of its read, even if another one becomes live', async () => {
    await stored.collection.deleteOne({ _id: metaId });
    const next = newGenerationName('events', modelDefinitions.events.version);
    await addMeta(stored.database, next);
    const reading = failureOf(
      stored.models.events.findPage({
        ...page,
        ranges: [{ filter: { accountId, ...slowly }, sort }],
      }),
    );
    await stored.database
      .collection<AliasDocument>(aliasCollection)
      .updateOne({ _id: 'events' }, { $set: { live: next } });
    expect(await reading).to.be.instanceOf(UnavailableError);
  });

  it('fails after two seconds', async () => {
    const filter = { accountId, $where: 'sleep(10000) || true' };
    const failure = await failureOf(stored.models.events.findPage({ ...page, ranges: [{ filter, sort }] }));
    expect(failure instanceof UnavailableError && failure.cause).to.have.property('code', maxTimeMsExpired);
  });

  it('is unavailable until its index exists', async () => {
    const index = { accountId: 1, type: 1 } as const;
    expect(await failureOf(stored.models.events.findPage({ ...page, index }))).to.be.instanceOf(
      UnavailableError,
    );
  });
});

describe('A read of documents by their ids', () => {
  let stored: StoredEvents;
  before(async () => {
    stored = await openStoredEvents();
  });

  it('contains all records up to the positions that it returns, while the model is folded', async () => {
    const ids = Array.from({ length: 300 }, (_, index) => testIdentifier('evt', index));
    await stored.collection.insertMany(
      ids.map((id) => eventDocument({ accountId, id, type: 'a', created: start, deliveries: [] })),
    );
    const metas = stored.database.collection<{ _id: string }>(stored.collection.collectionName);
    let isReading = true;
    const fold = async () => {
      for (let offset = 0; isReading; offset += 1) {
        // The first documents of the read change.
        const _id = ids[offset % 10] ?? '';
        await stored.collection.updateOne({ _id }, { $set: { home: offset } });
        await metas.updateOne({ _id: metaId }, { $set: { 'positions.deliveries.0': offset + 1 } });
      }
    };
    const missed = async () => {
      const { documents, meta } = await stored.models.events.findInAllAccounts(ids);
      const folded = (meta.positions.deliveries?.['0'] ?? 0) - 1;
      return Math.max(...documents.map(({ home }) => home)) < folded;
    };
    const folding = fold();
    let count = 0;
    for (let reads = 0; reads < 60; reads += 1) {
      count += (await missed()) ? 1 : 0;
    }
    isReading = false;
    await folding;

    expect(count).to.equal(0);
  });
});
