import type { ReplayCursor } from '../../domain/replays/replay.js';
import {
  typesInScope,
  type ReplayCandidate,
  type ReplayScope,
} from '../../domain/replays/replaySelection.js';
import type { EventDocument } from '../models/documents.js';
import { eventIndexes } from '../models/indexes.js';
import { maximumMergedTypes, typesMatching } from './eventTypes.js';
import type { CountedPageQuery, OrderedRange, PageQuery, ReadModel } from '../models/readModels.js';

type Events = ReadModel<EventDocument>;

/** A page of the events that match a replay's time and types, oldest first, after a cursor. */
export interface CandidatePage {
  readonly candidates: readonly ReplayCandidate[];
  /** The cursor of the next page; null after the last page. */
  readonly next: ReplayCursor | null;
}

interface PageStart {
  readonly after: ReplayCursor | null;
  readonly limit: number;
}

/** The fields of an event that decide whether a replay selects it. */
const projection = {
  created: 1,
  onlyWebhookId: 1,
  source: 1,
};
const countedPerRead = 10_000;
const oldestFirst = { created: 1, _id: 1 } as const;

/**
 * Reads a page of a replay's candidates. The page has `limit` events of an index, selected or not, so a read ends even
 * if the replay selects few.
 * @throws UnavailableError if the read model `events` is unavailable or incomplete
 */
export async function candidatePage(
  events: Pick<Events, 'findPage' | 'findValues'>,
  scope: ReplayScope,
  { after, limit }: PageStart,
): Promise<CandidatePage> {
  const { webhookId } = scope;
  const types = await scopeTypes(events, scope);
  const found = await events.findPage({
    ranges: rangesBehind(after, scope, types),
    limit,
    index: indexFor(scope, types),
    projection: { ...projection, deliveries: { $elemMatch: { webhookId } } },
  });
  const candidates = found.flatMap(candidateOf);
  const last = found.length < limit ? undefined : candidates.at(-1);
  return { candidates, next: last === undefined ? null : { created: last.created, eventId: last.id } };
}

export interface Counting {
  readonly isWanted: () => boolean;
  /** The number of events that each read examines. */
  readonly limit?: number;
}

/**
 * Counts the events that a replay selects, page by page. MongoDB counts, because the transfer of a million events takes
 * ten times as long as the count.
 * @returns null if `isWanted` became false before the end
 */
export async function countSelected(
  events: Pick<Events, 'countPage' | 'findValues'>,
  scope: ReplayScope,
  { isWanted, limit = countedPerRead }: Counting,
): Promise<number | null> {
  // The events of a scope are fixed, so their types do not change between the pages.
  const types = await scopeTypes(events, scope);
  let after: ReplayCursor | null = null;
  let count = 0;
  do {
    if (!isWanted()) {
      return null;
    }
    const page: SelectedPage = await countPage(events, { scope, types }, { after, limit });
    count += page.selected;
    after = page.next;
  } while (after !== null);
  return count;
}

/** `next` is the cursor of the next page; null after the last page. */
interface SelectedPage {
  readonly selected: number;
  readonly next: ReplayCursor | null;
}

async function countPage(
  events: Pick<Events, 'countPage'>,
  { scope, types }: { readonly scope: ReplayScope; readonly types: Types },
  { after, limit }: PageStart,
): Promise<SelectedPage> {
  const condition = selectedExpression(scope);
  let selected = 0;
  for (const range of rangesBehind(after, scope, types)) {
    const page = await events.countPage({
      range,
      limit,
      index: indexFor(scope, types),
      condition,
      owner: scope.accountId,
    });
    selected += page.counted;
    if (page.read === limit && page.last !== null) {
      return { selected, next: { created: page.last.created, eventId: page.last._id } };
    }
  }
  return { selected, next: null };
}

/** The condition of `isSelected` as a MongoDB expression, for events that match the replay's time and types. */
function selectedExpression({ webhookId, filter, eventsBelow }: ReplayScope): CountedPageQuery['condition'] {
  const below = { $arrayElemAt: [[...eventsBelow], '$source.partition'] };
  const isOfReplay = [
    { $eq: [{ $ifNull: ['$onlyWebhookId', null] }, null] },
    // `$gte: 0` excludes events without an offset, because a missing value sorts before any number.
    { $gte: ['$source.offset', 0] },
    { $lt: ['$source.offset', { $ifNull: [below, 0] }] },
  ];
  const isMissing = { $not: [{ $in: [webhookId, '$deliveries.webhookId'] }] };
  return { $and: filter.only === 'missing' ? [...isOfReplay, isMissing] : isOfReplay };
}

/** The types of a scope, without patterns; null for any type. */
async function scopeTypes(events: Pick<Events, 'findValues'>, scope: ReplayScope): Promise<Types> {
  const patterns = typesInScope(scope);
  return patterns === null ? null : typesMatching(events, scope, patterns);
}

type Types = readonly string[] | null;

function rangesBehind(after: ReplayCursor | null, scope: ReplayScope, types: Types): readonly OrderedRange[] {
  const filter = filterOf(scope, types);
  const { since, until } = scope.filter;
  if (after === null) {
    return [{ filter: { ...filter, created: { $gte: since, $lte: until } }, sort: oldestFirst }];
  }
  const { created, eventId } = after;
  return [
    { filter: { ...filter, created, _id: { $gt: eventId } }, sort: { _id: 1 } },
    { filter: { ...filter, created: { $gt: created, $lte: until } }, sort: oldestFirst },
  ];
}

function filterOf(scope: ReplayScope, types: Types): OrderedRange['filter'] {
  const { accountId, mode, webhookId, filter } = scope;
  return {
    accountId,
    mode,
    ...(types !== null && { type: { $in: [...types] } }),
    // The condition on `deliveries.status` is the condition of the partial index.
    ...(filter.only === 'failed' && {
      deliveries: { $elemMatch: { webhookId, status: { $in: ['failed', 'canceled'] } } },
      'deliveries.status': { $exists: true },
    }),
  };
}

function indexFor(scope: ReplayScope, types: Types): PageQuery['index'] {
  if (scope.filter.only === 'failed') {
    return eventIndexes.byWebhook.key;
  }
  return types === null || types.length > maximumMergedTypes ? eventIndexes.all.key : eventIndexes.byType.key;
}

function candidateOf(document: EventDocument): readonly ReplayCandidate[] {
  const { _id: id, created, source, onlyWebhookId = null, deliveries = [] } = withDeliveries(document);
  const [delivery = null] = deliveries;
  return created === undefined || source === undefined
    ? []
    : [{ id, created, source, onlyWebhookId, delivery }];
}

/** A document whose `deliveries` may be missing. The projection omits `deliveries` if no delivery matches. */
function withDeliveries(document: EventDocument): Omit<EventDocument, 'deliveries'> & Partial<EventDocument> {
  return document;
}
