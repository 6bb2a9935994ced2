import { setImmediate as endOfTurn } from 'node:timers/promises';

import type { LimitOwner } from '../../../shared/domain/tenants/deliveryTenant.js';
import { fromBinary } from '../../../shared/store/client/binary.js';
import type { EventDocument } from '../../../shared/store/models/documents.js';
import type { ListPageQuery, OrderedRange } from '../../../shared/store/models/readQueries.js';
import type { Searches } from '../../../shared/store/queries/readsWithinShares.js';
import { maximumPageBytes, type ListPosition, type PageRange } from '../../http/paging.js';
import { createReadSlice } from '../../scans/eventSlices.js';
import { scanSlices, type ReadPart, type ScanLimits, type Scanned } from '../../scans/scanSlices.js';
import type { EventSelection } from './eventFilter.js';
import { createTextSearch } from './textSearch.js';

export interface SearchDependencies {
  readonly searches: Searches;
  readonly limits: ScanLimits;
}

export interface SearchRequest {
  /** The account or tenant whose limit of searches the search uses. */
  readonly owner: LimitOwner;
  readonly selection: EventSelection;
  readonly range: PageRange;
  readonly text: string;
}

/** The events that a search has found, in the order of the search. */
export interface Found extends Scanned {
  readonly ids: readonly string[];
}

/** The largest number of events that are decoded or compared before other requests get a turn. */
const eventsPerTurn = 100;
/**
 * The size of the `data` after which other requests get a turn, in bytes. The comparison of a text with a long, almost
 * equal text can take 0.2 ms for each KiB.
 */
const bytesPerTurn = 64 * 1024;
/** The smallest number of events in a response of MongoDB, which may be of 256 KiB each. */
const smallestBatch = 8;
/** The number of events that are in memory at once, and the size of their `data` in bytes. */
const [maximumRead, maximumReadBytes] = [2000, 2 * 1024 * 1024];

/**
 * Searches a text in the events of a list, in their order. The search reads the events in slices, so that the memory of
 * the process and the time of each read are bounded.
 * @throws UnavailableError if the search cannot start in time, or the read model is unavailable, incomplete or too slow
 */
export async function searchEvents(
  { searches, limits }: SearchDependencies,
  { owner, selection, range, text }: SearchRequest,
): Promise<Found> {
  return searches.run(owner, async (events) => {
    const found = createFindings(text, range.limit);
    const readSlice = createReadSlice(events, selection, range.direction);
    let batchSize = eventsPerTurn;
    const scan = { readSlice, place: range.place, limits };
    const scanned = await scanSlices(scan, async ({ ranges }, hasTime) => {
      const { documents, hasMore } = await events.findListPage({
        ...dataQuery(ranges, selection),
        batchSize,
      });
      batchSize = batchFor(documents, batchSize);
      const part = await found.compare(documents, hasTime);
      const reached = hasMore ? positionOf(documents.at(-1)) : null;
      return { ...part, reached: part.reached ?? reached };
    });
    const isEnd = scanned.isFull ? (await readSlice(scanned.last, 1)) === null : scanned.isEnd;
    return { ...scanned, isEnd, ids: found.ids };
  });
}

function dataQuery(ranges: readonly OrderedRange[], { index, filter }: EventSelection): ListPageQuery {
  return {
    ranges,
    index,
    share: filter.accountId,
    limit: maximumRead,
    maximumBytes: maximumReadBytes,
    projection: { created: 1, data: 1 },
  };
}

/** The number of events with the maximum size, by the size of earlier events. A larger response is read in vain. */
function batchFor(documents: readonly EventDocument[], before: number): number {
  const bytes = documents.reduce((sum, { data }) => sum + (data?.length() ?? 0), 0);
  const fitting = bytes === 0 ? before : Math.round((documents.length * maximumReadBytes) / bytes);
  return Math.min(eventsPerTurn, Math.max(smallestBatch, fitting));
}

/** The events that contain a text, until the page has `limit` events or its maximum size. */
function createFindings(text: string, limit: number) {
  const matches = createTextSearch(text);
  const ids: string[] = [];
  let bytes = 0;

  const isFullAfter = ({ _id: id, data }: EventDocument): boolean => {
    if (data !== undefined && matches({ id, data: fromBinary(data) })) {
      ids.push(id);
      bytes += data.length();
    }
    return ids.length === limit || bytes >= maximumPageBytes;
  };

  return {
    ids,
    /** Compares events until the page is full or the time has passed. */
    compare: async (documents: readonly EventDocument[], hasTime: () => boolean): Promise<ReadPart> => {
      let rest = documents;
      while (rest.length > 0) {
        const turn = rest.slice(0, turnLength(rest));
        rest = rest.slice(turn.length);
        const last = turn.find(isFullAfter);
        if (last !== undefined) {
          return { reached: positionOf(last), isFull: true };
        }
        if (rest.length > 0 && !hasTime()) {
          return { reached: positionOf(turn.at(-1)), isFull: false };
        }
        await endOfTurn();
      }
      return { reached: null, isFull: false };
    },
  };
}

/** The number of the next events that are compared without a turn of other requests: at least one. */
function turnLength(documents: readonly EventDocument[]): number {
  let bytes = 0;
  const end = documents.slice(0, eventsPerTurn).findIndex(({ data }) => {
    bytes += data?.length() ?? 0;
    return bytes >= bytesPerTurn;
  });
  return end === -1 ? eventsPerTurn : end + 1;
}

function positionOf(document: EventDocument | undefined): ListPosition | null {
  return document?.created === undefined ? null : { id: document._id, created: document.created };
}
