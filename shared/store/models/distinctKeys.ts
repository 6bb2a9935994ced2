import { MaxKey, MinKey, type Db, type Document } from 'mongodb';

import type { IndexKey } from './indexes.js';

export interface DistinctQuery {
  /** The index whose second field has the values. All fields of the index are in ascending order. */
  readonly index: IndexKey;
  /** The value of the first field of the index. */
  readonly first: string;
  /** The condition of the index, if it is a partial index. */
  readonly filter: Document;
  /** The value after which the search begins; null for a search of all values. */
  readonly after: string | null;
  readonly limit: number;
}

/**
 * Reads the distinct values of the second field of an index, in ascending order. Each value costs one seek in the
 * index, for any number of documents. MongoDB's `distinct` does not use an index of an array field.
 * @param maxTimeMS the time limit of each seek
 */
export async function distinctKeys(
  database: Db,
  collection: string,
  { index, first, filter, after, limit }: DistinctQuery,
  maxTimeMS: number,
): Promise<readonly string[]> {
  const keys = database.collection(collection);
  const [firstField = '', secondField = '', ...fields] = Object.keys(index);
  const keyOf = (second: unknown, rest: MinKey | MaxKey): Document => ({
    [firstField]: first,
    [secondField]: second,
    ...Object.fromEntries(fields.map((field) => [field, rest])),
  });
  const max = keyOf(new MaxKey(), new MaxKey());
  const options = { hint: { ...index }, max, returnKey: true, limit: 1, maxTimeMS };

  const valueBehind = async (value: string | null): Promise<string | null> => {
    const min = value === null ? keyOf(new MinKey(), new MinKey()) : keyOf(value, new MaxKey());
    const [key] = await keys.find(filter, { ...options, min }).toArray();
    return key === undefined ? null : String(key[secondField]);
  };

  const values: string[] = [];
  let value = await valueBehind(after);
  while (value !== null) {
    values.push(value);
    value = values.length < limit ? await valueBehind(value) : null;
  }
  return values;
}
