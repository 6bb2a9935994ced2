import { BSON, type Document } from 'mongodb';

import type { ListPage, ListPageQuery } from './readQueries.js';

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
