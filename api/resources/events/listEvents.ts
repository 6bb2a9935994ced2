import type { EventDocument } from '../../../shared/store/models/documents.js';
import type { ReadModel } from '../../../shared/store/models/readModels.js';
import { typesMatching } from '../../../shared/store/queries/eventTypes.js';
import type { TakenUp } from '../../catchUp/takenUp.js';
import { isApiError, type ApiError } from '../../http/apiError.js';
import { limitOwnerOf, ownedDeliveries, requestedTenant, type Owner } from '../../http/ownership.js';
import { pageOf, pageQuery, rangeOf, type PageRange, type Paging } from '../../http/paging.js';
import { eventSelection, type EventFilter, type EventSelection } from './eventFilter.js';
import type { EventLookup } from './eventLookup.js';

import { expiredEventPosition, type Expiry } from './expiredCursor.js';
import { eventSummary, storedEvent, type ListedPage } from './representation.js';
import { nothingSearched, scannedPage, spanOf, type ScannedPage } from '../../scans/scannedPage.js';
import type { Scanned } from '../../scans/scanSlices.js';
import { searchEvents, type SearchDependencies, type SearchRequest } from './searchEvents.js';

export interface EventListDependencies extends SearchDependencies {
  readonly events: Pick<ReadModel<EventDocument>, 'findListPage' | 'countPage' | 'findValues' | 'meta'>;
  readonly takenUp: Pick<TakenUp, 'refresh' | 'areDeliveriesComplete'>;
  readonly lookup: EventLookup;
  readonly expiry: Expiry;
}

export interface EventListRequest extends EventFilter, Paging {
  /** A summary omits `data`. */
  readonly fields?: 'summary' | undefined;
  /** The text that the events contain. */
  readonly search?: string | undefined;
}

type ListEvents = (caller: Owner, request: EventListRequest) => Promise<ListedPage | ApiError>;

/** The page for patterns that match no type. A scan of another index would read the whole list in vain. */
const emptyPage = { items: [], hasMore: false };

const summaries = { without: ['data'], represent: eventSummary } as const;
const wholeEvents = { without: [], represent: storedEvent } as const;

/**
 * Creates the list of events. If an index contains all filters, a page is one read. Otherwise the list is scanned in
 * slices. The scan ends after a second, so that a page may have fewer events than the list, and a cursor instead.
 * @returns a function that reads a page
 * @throws UnavailableError if the read model is unavailable, incomplete or too slow
 */
export function createEventList(dependencies: EventListDependencies): ListEvents {
  const { events, limits, lookup, takenUp, expiry } = dependencies;

  const read = async (
    selection: EventSelection,
    range: PageRange,
    search: Search | null,
  ): Promise<ScannedPage<EventDocument>> => {
    if (search !== null) {
      return searchPage(dependencies, { ...search, selection, range });
    }
    return selection.hasUnindexed
      ? scannedPage({ model: events, limits, sizeOf: dataLength }, selection, range)
      : pageOf(await events.findListPage(pageQuery(selection, range)), range);
  };

  return async (caller, request) => {
    const { fields, search, type: patterns } = request;
    const requested = requestedTenant(caller, request.tenantId);
    if (isApiError(requested)) {
      return requested;
    }
    const { tenantId } = requested;
    const range = await rangeOf(
      request,
      async (id) => (await lookup.find(caller, id)) ?? expiredEventPosition(id, expiry),
    );
    if (isApiError(range)) {
      return range;
    }
    const type = patterns && (await typesMatching(events, caller, patterns));
    if (type?.length === 0) {
      return { ...emptyPage, ...(search !== undefined && { searched: nothingSearched }) };
    }
    const selection = eventSelection(caller, { ...request, type, tenantId });
    const { without, represent } = fields === 'summary' ? summaries : wholeEvents;
    await takenUp.refresh();
    // The positions are read before the page, so that the page contains all records below them.
    const meta = await events.meta();
    const page = await read({ ...selection, without }, range, searchOf(caller, search));
    const areComplete = (event: EventDocument) => takenUp.areDeliveriesComplete(event, meta);
    const items = page.items.map((event) =>
      represent({ ...event, deliveries: ownedDeliveries(caller, event.deliveries) }, areComplete),
    );
    return { ...page, items: items.filter((event) => event !== null) };
  };
}

type Search = Pick<SearchRequest, 'owner' | 'text'>;

function searchOf(caller: Owner, text: string | undefined): Search | null {
  return text === undefined ? null : { owner: limitOwnerOf(caller), text };
}

function dataLength({ data }: EventDocument): number {
  return data?.length() ?? 0;
}

/** A page of the events that contain a text. It ends before its limit if its size or the time of the search ends. */
async function searchPage(
  dependencies: EventListDependencies,
  request: SearchRequest,
): Promise<ScannedPage<EventDocument>> {
  const { selection, range } = request;
  const { ids, ...scanned } = await searchEvents(dependencies, request);
  if (ids.length === 0) {
    return { items: [], hasMore: !scanned.isEnd, searched: spanOf(scanned, range) };
  }
  const filter = { ...selection.filter, _id: { $in: ids } };
  const found = { ...range, limit: ids.length, place: null };
  const part = await dependencies.events.findListPage(
    pageQuery({ ...selection, filter, index: { _id: 1 } }, found),
  );
  const reached = part.hasMore ? cutShort(scanned, part.documents) : scanned;
  return { ...pageOf({ ...part, hasMore: !reached.isEnd }, range), searched: spanOf(reached, range) };
}

/** The scan up to the last document of a page that has reached its maximum size. */
function cutShort(scanned: Scanned, documents: readonly EventDocument[]): Scanned {
  const last = documents.at(-1);
  return last?.created === undefined
    ? scanned
    : { ...scanned, last: { id: last._id, created: last.created }, isEnd: false };
}
