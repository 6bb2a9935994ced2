import { expect } from 'chai';
import { Binary, MongoNetworkError, MongoServerError, type Collection } from 'mongodb';

import type { Mongo } from '../../../../shared/store/client/client.js';
import { rejectionOf } from '../../../../shared/store/generations/rejectedDocuments.js';
import { openNewDatabase } from '../../../support/mongo.js';

interface AnyDocument {
  readonly _id: string;
  readonly content?: unknown;
}

const mebibyte = 1024 * 1024;

describe('rejectionOf', () => {
  let mongo: Mongo;
  let documents: Collection<AnyDocument>;
  before(async () => {
    mongo = await openNewDatabase();
    documents = mongo.database.collection('anything');
    await documents.insertOne({ _id: 'stored', content: new Binary(Buffer.alloc(9 * mebibyte)) });
  });

  /** The name of the error for a failed bulk write that contains another document too. */
  async function rejection(write: Parameters<typeof documents.bulkWrite>[0][number]): Promise<string | null> {
    const other = { updateOne: { filter: { _id: 'other' }, update: { $set: { content: 1 } }, upsert: true } };
    try {
      await documents.bulkWrite([write, other], { ordered: false });
    } catch (error) {
      return rejectionOf(error)?.name ?? null;
    }
    return 'written';
  }

  const insertOf = (content: unknown) => ({ insertOne: { document: { _id: 'new', content } } });
  const updateOf = (update: object) => ({ updateOne: { filter: { _id: 'stored' }, update } });

  /** An object that contains itself. */
  const endless: { self?: unknown } = {};
  endless.self = endless;

  const nested = (depth: number): object => (depth === 0 ? {} : { nested: nested(depth - 1) });

  const rejected: readonly (readonly [string, () => Parameters<typeof rejection>[0]])[] = [
    ['is larger than any message', () => insertOf(new Binary(Buffer.alloc(17 * mebibyte)))],
    ['grows beyond the limit', () => updateOf({ $set: { more: new Binary(Buffer.alloc(9 * mebibyte)) } })],
    ['is nested too deeply', () => insertOf(nested(300))],
    ['cannot be encoded', () => insertOf(endless)],
    ['has a field name with a null byte', () => insertOf({ 'a\0b': 1 })],
    ['has an empty field name in a path', () => updateOf({ $set: { 'parts..a': 1 } })],
    ['has a path through a value', () => updateOf({ $set: { '_id.part': 1 } })],
  ];
  for (const [what, write] of rejected) {
    it(`attributes the error to a document that ${what}`, async () => {
      expect(await rejection(write())).to.equal('RejectedDocumentsError');
    });
  }

  it('attributes the error to a document that the validation of the collection rejects', async () => {
    await mongo.database.createCollection('checked', { validator: { content: { $type: 'string' } } });
    const error: unknown = await mongo.database
      .collection<AnyDocument>('checked')
      .bulkWrite([insertOf(1), insertOf('text')], { ordered: false })
      .catch((thrown: unknown) => thrown);

    expect(rejectionOf(error)?.name).to.equal('RejectedDocumentsError');
  });

  it('is null for a duplicate id alone', async () => {
    expect(await rejection({ insertOne: { document: { _id: 'stored' } } })).to.equal(null);
  });

  it('is null for a lost connection', async () => {
    const gone = await openNewDatabase();
    await gone.close();
    const error: unknown = await gone.database
      .collection('anything')
      .bulkWrite([{ insertOne: { document: {} } }])
      .catch((thrown: unknown) => thrown);

    expect(rejectionOf(error)).to.equal(null);
  });

  // NotWritablePrimary, MaxTimeMSExpired, WriteConcernTimeout, Unauthorized, WriteConflict, OutOfDiskSpace, InternalError.
  for (const code of [10_107, 50, 64, 13, 112, 14_031, 1]) {
    it(`is null for the server's code ${code}`, () => {
      expect(rejectionOf(new MongoServerError({ message: 'an outage', code }))).to.equal(null);
    });
  }

  it('is null for an error that the driver would retry', () => {
    const error = new MongoServerError({
      message: 'an outage',
      code: 2,
      errorLabels: ['RetryableWriteError'],
    });

    expect(rejectionOf(error)).to.equal(null);
  });

  it('is null for a network error', () => {
    expect(rejectionOf(new MongoNetworkError('connection closed'))).to.equal(null);
  });
});
