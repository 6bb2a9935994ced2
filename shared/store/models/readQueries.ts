import { BSON, MaxKey, MinKey, type Db, type Document } from 'mongodb';

import type { ModelDocument, Without } from './documents.js';
import type { IndexKey } from './indexes.js';

/** A range of a list: one scan of an index, in the order of the index. */
export interface OrderedRange {
  readonly filter: Document;
  readonly sort: IndexKey;
}

interface SharedRead {
  /**
   * Who the read takes turns with for MongoDB's connections: usually an account. The share selects no documents. It has
   * no effect in processes that do not divide their connections.
   */
  readonly share?: string;
}

export type ReadOptions<Model extends ModelDocument> = Without<Model> & SharedRead;

export interface PageQuery extends SharedRead {
  /** The ranges of the list in their order, from the start of the page. */
  readonly ranges: readonly OrderedRange[];
  readonly limit: number;
  /** The index to use. MongoDB's query planner might choose an index that requires a sort. */
  readonly index: IndexKey;
  /** The fields that the read omits. */
  readonly without?: readonly string[];
  /** The projection of each document in MongoDB's syntax. The default projection is all fields except `without`. */
  readonly projection?: Document;
}

/** A page whose documents have at most 16 MiB together. */
export type PackedPageQuery = Pick<PageQuery, 'ranges' | 'limit' | 'index' | 'share'> &
  Required<Pick<PageQuery, 'projection'>>;

/** A page of a list, which may end before its limit of documents. */
export interface ListPage<Model> {
  readonly documents: readonly Model[];
  /** Whether the list has more documents after the page. */
  readonly hasMore: boolean;
}

export interface ListPageQuery extends PageQuery {
  /** The size in bytes at which the page ends. The document that reaches this size is the last document of the page. */
  readonly maximumBytes: number;
  /** The number of documents that are read at once, up to 16 MiB; 8 by default. */
  readonly batchSize?: number;
}

export interface CountQuery extends SharedRead {
  readonly filter: Document;
  /** The index that contains all fields of the filter, so that no document is read. */
  readonly index: IndexKey;
}

export interface DerivedQuery extends OrderedRange {
  readonly limit: number;
  readonly index: IndexKey;
}

export interface ValuesQuery extends SharedRead {
  readonly field: string;
  readonly filter: Document;
  /** An index in which only fields with one value in the filter precede the field. */
  readonly index: IndexKey;
}

export interface CountedPageQuery extends Pick<PageQuery, 'limit' | 'index' | 'share'> {
  readonly range: OrderedRange;
  /** The condition that a counted document satisfies, as a MongoDB expression. */
  readonly condition: Document;
}

/** The count over the first documents of a range. MongoDB counts, and no document is transferred. */
export interface CountedPage {
  /** The number of documents that were read, up to the limit. */
  readonly read: number;
  readonly counted: number;
  /** The first document that was read; null if no document was read. */
  readonly first: ReadPosition | null;
  /** The last document that was read; null if no document was read. */
  readonly last: ReadPosition | null;
}

interface ReadPosition {
  readonly _id: string;
  readonly created: Date;
}

/** The number of documents that are read at once for a page of limited size. The largest document has 256 KiB. */
export const documentsPerBatch = 8;

/** Reads cursors one after the other, until the page is full and one more document, or the end, is found. */
export async function readListPage<Model extends Document>(
  cursors: readonly (() => AsyncIterable<Document>)[],
  isShown: (document: Document) => document is Model,
  { limit, maximumBytes }: Pick<ListPageQuery, 'limit' | 'maximumBytes'>,
): Promise<ListPage<Model>> {
  const documents: Model[] = [];
  let bytes = 0;
  for (const open of cursors) {
    for await (const document of open()) {
      if (!isShown(document)) {
        continue;
      }
      if (documents.length === limit || bytes >= maximumBytes) {
        return { documents, hasMore: true };
      }
      documents.push(document);
      bytes += BSON.calculateObjectSize(document);
    }
  }
  return { documents, hasMore: false };
}

/** The projection that excludes the given fields. */
export function excludedFields(fields: readonly string[]): Document {
  return Object.fromEntries(fields.map((field) => [field, 0]));
}

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
