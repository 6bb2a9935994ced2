import { BSON, type Document } from 'mongodb';

import type { ModelDocument, Without } from './documents.js';
import type { IndexKey } from './indexes.js';

/** One scan of an index, in the order of the index. */
export interface OrderedRange {
  readonly filter: Document;
  readonly sort: IndexKey;
}

/** The account of a read, for processes that share the database's connections among accounts. */
interface OwnedRead {
  readonly owner?: string;
}

export type ReadOptions<Model extends ModelDocument> = Without<Model> & OwnedRead;

export interface PageQuery extends OwnedRead {
  /** The ranges of the list in their order, from the start of the page. */
  readonly ranges: readonly OrderedRange[];
  readonly limit: number;
  /** The index to use. A planner that tries several may choose one that must sort. */
  readonly index: IndexKey;
  /** Fields that are not read. */
  readonly without?: readonly string[];
  /** The projection of each document in MongoDB's syntax. By default everything except `without`. */
  readonly projection?: Document;
}

/** A part of a list, which may end before its limit. */
export interface ListPage<Model> {
  readonly documents: readonly Model[];
  /** Whether the ranges contain more documents. */
  readonly hasMore: boolean;
}

export interface ListPageQuery extends PageQuery {
  /** The page ends with the document that reaches this size. */
  readonly maximumBytes: number;
}

export interface CountQuery extends OwnedRead {
  readonly filter: Document;
  /** The index that contains all fields of the filter, so that no document is read. */
  readonly index: IndexKey;
}

export interface CountedPageQuery extends Pick<PageQuery, 'limit' | 'index' | 'owner'> {
  readonly range: OrderedRange;
  /** The condition of the documents that count, as a MongoDB expression. */
  readonly condition: Document;
}

/** Counts over the first documents of a range, which stay in the database. */
export interface CountedPage {
  /** How many documents were read, up to the limit. */
  readonly read: number;
  readonly counted: number;
  /** Null if no document was read. */
  readonly last: { readonly _id: string; readonly created: Date } | null;
}

/** How many documents are read at once for a page of limited size. The largest have 256 KiB each. */
export const documentsPerBatch = 8;

/** Reads cursors one after the other, until the page is full and it is known whether more documents follow. */
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

/** The projection that excludes these fields. */
export function excludedFields(fields: readonly string[]): Document {
  return Object.fromEntries(fields.map((field) => [field, 0]));
}
