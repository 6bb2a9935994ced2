import { BSON, type Document } from 'mongodb';

import type { ModelDocument, Without } from './documents.js';
import type { IndexKey } from './indexes.js';

/** What one scan of an index gives, in the order of the index. */
export interface OrderedRange {
  readonly filter: Document;
  readonly sort: IndexKey;
}

/** Whose read it is. A process that shares the database's connections among accounts shares them by this. */
interface OwnedRead {
  readonly owner?: string;
}

export type ReadOptions<Model extends ModelDocument> = Without<Model> & OwnedRead;

export interface PageQuery extends OwnedRead {
  /** One behind the other they are the list, from the page's beginning on. */
  readonly ranges: readonly OrderedRange[];
  readonly limit: number;
  /** The index that serves it: a planner that tries several may settle on one that has to sort. */
  readonly index: IndexKey;
  /** Fields that are not read. */
  readonly without?: readonly string[];
  /** What is read of each document, as MongoDB writes projections; everything but `without` where it is left out. */
  readonly projection?: Document;
}

/** A part of a list, which may end before its limit. */
export interface ListPage<Model> {
  readonly documents: readonly Model[];
  /** Whether the ranges contain more documents. */
  readonly hasMore: boolean;
}

export interface ListPageQuery extends PageQuery {
  /** The page ends with the document with which it reaches this size. */
  readonly maximumBytes: number;
}

export interface CountQuery extends OwnedRead {
  readonly filter: Document;
  /** The index that holds all that the filter asks about, so that no document is read. */
  readonly index: IndexKey;
}

export interface CountedPageQuery extends Pick<PageQuery, 'limit' | 'index' | 'owner'> {
  readonly range: OrderedRange;
  /** What holds for the documents that count, as MongoDB writes expressions. */
  readonly condition: Document;
}

/** What the first documents of a range are, none of which has left the database. */
export interface CountedPage {
  /** How many there were, up to the limit. */
  readonly read: number;
  readonly counted: number;
  /** Null where there was none. */
  readonly last: { readonly _id: string; readonly created: Date } | null;
}

/** Documents that are read at once for a page with a bounded size. The largest have 256 KiB each. */
export const documentsPerBatch = 8;

/** Reads cursors one after the other, until a page is full and it is known whether there is more. */
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
export function leavingOut(fields: readonly string[]): Document {
  return Object.fromEntries(fields.map((field) => [field, 0]));
}
