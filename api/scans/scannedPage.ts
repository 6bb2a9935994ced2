import type { ModelDocument } from '../../shared/store/models/documents.js';
import type { ReadModel } from '../../shared/store/models/readModels.js';
import { maximumPageBytes, pageOf, pageQuery, type Page, type PageRange } from '../http/paging.js';
import { createReadSlice, type SlicedSelection } from './eventSlices.js';
import { scanSlices, type ScanLimits, type Scanned } from './scanSlices.js';

/** The part of the list that the API has searched. It is missing if the API has read the whole page. */
export interface SearchedSpan {
  /** The newest time of the events that were searched; null if there was no event. */
  readonly from: Date | null;
  /** The oldest time of the events that were searched; null if there was no event. */
  readonly to: Date | null;
  /** The last event that was searched; null if the list has no event beyond it. */
  readonly cursor: string | null;
}

/** A page of a list. If a scan cut the page short, `searched` is present. */
export interface ScannedPage<Document> extends Page<Document> {
  readonly searched?: SearchedSpan;
}

export const nothingSearched: SearchedSpan = { from: null, to: null, cursor: null };

export interface ScannedModel<Document extends ModelDocument> {
  readonly model: Pick<ReadModel<Document>, 'findListPage' | 'countPage'>;
  readonly limits: ScanLimits;
  /** The size of a document in a page, in bytes. */
  readonly sizeOf: (document: Document) => number;
}

/**
 * A page of a list that no index contains. It is cut short if the scan ends before the page is full.
 * @throws UnavailableError if the read model is unavailable, incomplete or too slow
 */
export async function scannedPage<Document extends ModelDocument>(
  { model, limits, sizeOf }: ScannedModel<Document>,
  selection: SlicedSelection,
  range: PageRange,
): Promise<ScannedPage<Document>> {
  const documents: Document[] = [];
  let bytes = 0;
  const readSlice = createReadSlice(model, selection, range.direction);
  const scanned = await scanSlices({ readSlice, place: range.place, limits }, async ({ ranges }) => {
    const limit = range.limit - documents.length;
    const query = { ...pageQuery(selection, range), ranges, limit, maximumBytes: maximumPageBytes - bytes };
    const part = await model.findListPage(query);
    documents.push(...part.documents);
    bytes += part.documents.reduce((sum, document) => sum + sizeOf(document), 0);
    return { reached: null, isFull: part.hasMore };
  });
  const page = pageOf({ documents, hasMore: !scanned.isEnd }, range);
  return scanned.isEnd || scanned.isFull ? page : { ...page, searched: spanOf(scanned, range) };
}

/** The span of a list that a scan has read. */
export function spanOf(
  { first, last, isEnd }: Scanned,
  { direction }: Pick<PageRange, 'direction'>,
): SearchedSpan {
  if (first === null || last === null) {
    return nothingSearched;
  }
  const [newest, oldest] = direction === 'older' ? [first, last] : [last, first];
  return { from: newest.created, to: oldest.created, cursor: isEnd ? null : last.id };
}
