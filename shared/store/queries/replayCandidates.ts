import { TimeLimitError } from '../../core/errors.js';
import { everyType, matchesAny } from '../../domain/events/eventPattern.js';
import type { ReplayCursor } from '../../domain/replays/replay.js';
import {
  hasCodes,
  isSelected,
  selectedDeliveries,
  typesInScope,
  type ReplayCandidate,
  type ReplayScope,
} from '../../domain/replays/replaySelection.js';
import { everyTenant } from '../../domain/tenants/tenantId.js';
import type { EventDocument } from '../models/documents.js';
import { eventIndexes } from '../models/indexes.js';
import type { ReadModel } from '../models/readModels.js';
import type { OrderedRange, PageQuery } from '../models/readQueries.js';
import { maximumMergedTypes, typesMatching } from './eventTypes.js';
import { selectedExpression, type ScopeTypes } from './replayConditions.js';

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
  type: 1,
  created: 1,
  onlyWebhookId: 1,
  tenantId: 1,
  source: 1,
};
const oldestFirst = { created: 1, _id: 1 } as const;
/** The events that are read at once by their ids. MongoDB reads the `data` of each from disk, up to 256 KiB. */
const idsPerRead = 100;

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
  const { filter, webhookId } = scope;
  if (filter.eventIds !== undefined) {
    return pageOf(
      (await namedCandidates(events, scope, filter.eventIds)).filter((candidate) =>
        isBehind(candidate, after),
      ),
      limit,
    );
  }
  const types = await typesOf(events, scope);
  const found = await events.findPage({
    ranges: rangesBehind(after, scope, types),
    limit,
    index: indexFor(scope, types),
    projection: { ...projection, deliveries: { $elemMatch: { webhookId } } },
  });
  const candidates = found.flatMap(candidateOf);
  const last = found.length < limit ? undefined : candidates.at(-1);
  return { candidates, next: last === undefined ? null : cursorOf(last) };
}

/** The named events of the scope, oldest first. They are few, so they are compared in memory. */
async function namedCandidates(
  events: Pick<Events, 'findPage'>,
  scope: ReplayScope,
  ids: readonly string[],
): Promise<readonly ReplayCandidate[]> {
  const { accountId, mode, webhookId } = scope;
  const types = typesInScope(scope);
  const candidates: ReplayCandidate[] = [];
  for (let first = 0; first < ids.length; first += idsPerRead) {
    const some = ids.slice(first, first + idsPerRead);
    const found = await events.findPage({
      ranges: [{ filter: { _id: { $in: some }, accountId, mode }, sort: { _id: 1 } }],
      limit: some.length,
      index: { _id: 1 },
      projection: { ...projection, deliveries: { $elemMatch: { webhookId } } },
      share: accountId,
    });
    candidates.push(
      ...found.flatMap(candidateOf).filter(({ type }) => types === null || matchesAny(types, type)),
    );
  }
  return candidates.toSorted(comparePlaces);
}

function pageOf(candidates: readonly ReplayCandidate[], limit: number): CandidatePage {
  const page = candidates.slice(0, limit);
  const last = page.length < candidates.length ? page.at(-1) : undefined;
  return { candidates: page, next: last === undefined ? null : cursorOf(last) };
}

function comparePlaces(one: ReplayCandidate, other: ReplayCandidate): number {
  const apart = one.created.getTime() - other.created.getTime();
  return apart === 0 ? (one.id < other.id ? -1 : 1) : apart;
}

function isBehind({ created, id }: ReplayCandidate, after: ReplayCursor | null): boolean {
  const apart = after === null ? 1 : created.getTime() - after.created.getTime();
  return apart > 0 || (apart === 0 && after !== null && id > after.eventId);
}

function cursorOf({ created, id: eventId }: ReplayCandidate): ReplayCursor {
  return { created, eventId };
}

export interface Counting {
  readonly isWanted: () => boolean;
  /** The number of events that the first read examines. */
  readonly limit?: number;
}

export interface SelectedCount {
  readonly matched: number;
  /** Whether all events of the scope were counted. */
  readonly complete: boolean;
}

const firstRead = 2000;
const leastRead = 20;
const mostRead = 10_000;
/** The time of a read, in milliseconds, up to which the next read examines twice as many events. */
const quickMs = 250;

/**
 * Counts the events that a replay selects, page by page. MongoDB counts, because the transfer of a million events takes
 * ten times as long as the count. MongoDB reads whole documents, so events with much `data` are counted in smaller pages.
 * The count is not complete if `isWanted` became false before the end.
 * @throws UnavailableError if the read model `events` is unavailable or incomplete
 */
export async function countSelected(
  events: Pick<Events, 'countPage' | 'findPage' | 'findValues'>,
  scope: ReplayScope,
  { isWanted, limit: first = firstRead }: Counting,
): Promise<SelectedCount> {
  const { eventIds } = scope.filter;
  if (eventIds !== undefined) {
    const candidates = await namedCandidates(events, scope, eventIds);
    return { matched: candidates.filter((one) => isSelected(one, scope)).length, complete: true };
  }
  // The events of a scope are fixed, so their types do not change between the pages.
  const types = await typesOf(events, scope);
  let start: PageStart = { after: null, limit: first };
  let matched = 0;
  while (isWanted()) {
    const startedAt = performance.now();
    const page = await countPage(events, { scope, types }, start).catch(nullIfTooSlow);
    if (page !== null) {
      matched += page.selected;
      if (page.next === null) {
        return { matched, complete: true };
      }
    }
    start = {
      after: page === null ? start.after : page.next,
      limit: nextLimit(start.limit, page === null ? null : performance.now() - startedAt),
    };
  }
  return { matched, complete: false };
}

/** The size of the next page. @param tookMs null if the last page exceeded the time limit of a read */
function nextLimit(limit: number, tookMs: number | null): number {
  if (tookMs === null) {
    return Math.max(leastRead, Math.floor(limit / 8));
  }
  return tookMs > quickMs ? limit : Math.max(limit, Math.min(mostRead, limit * 2));
}

/** Accepts that a page exceeded the time limit of a read: a smaller page follows. */
function nullIfTooSlow(error: unknown): null {
  if (error instanceof TimeLimitError) {
    return null;
  }
  throw error;
}

/** `next` is the cursor of the next page; null after the last page. */
interface SelectedPage {
  readonly selected: number;
  readonly next: ReplayCursor | null;
}

async function countPage(
  events: Pick<Events, 'countPage'>,
  { scope, types }: { readonly scope: ReplayScope; readonly types: ScopeTypes },
  { after, limit }: PageStart,
): Promise<SelectedPage> {
  const condition = selectedExpression(scope, types);
  let selected = 0;
  for (const range of rangesBehind(after, scope, types)) {
    const page = await events.countPage({
      range,
      limit,
      index: indexFor(scope, types),
      condition,
      share: scope.accountId,
    });
    selected += page.counted;
    if (page.read === limit && page.last !== null) {
      return { selected, next: { created: page.last.created, eventId: page.last._id } };
    }
  }
  return { selected, next: null };
}

/** The types of a scope, and the types that the webhook subscribes to, without patterns. */
async function typesOf(events: Pick<Events, 'findValues'>, scope: ReplayScope): Promise<ScopeTypes> {
  const concrete = (patterns: readonly string[] | null) =>
    patterns === null ? Promise.resolve(null) : typesMatching(events, scope, patterns);
  const { subscription } = scope;
  const [inScope, subscribed] = await Promise.all([
    concrete(typesInScope(scope)),
    concrete(subscription.includes(everyType) ? null : subscription),
  ]);
  return { inScope, subscribed };
}

function rangesBehind(
  after: ReplayCursor | null,
  scope: ReplayScope,
  types: ScopeTypes,
): readonly OrderedRange[] {
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

function filterOf(scope: ReplayScope, { inScope }: ScopeTypes): OrderedRange['filter'] {
  const { accountId, mode, webhookId, filter } = scope;
  return {
    accountId,
    mode,
    ...(inScope !== null && { type: { $in: [...inScope] } }),
    ...(isReadByTenant(scope) && { tenantId: scope.tenantId }),
    // The condition on `deliveries.status` is the condition of the partial index.
    ...(isReadByWebhook(scope) && {
      deliveries: { $elemMatch: { webhookId, status: { $in: [...selectedDeliveries(filter).statuses] } } },
      'deliveries.status': { $exists: true },
    }),
  };
}

/** Whether the index of the webhook's deliveries contains all events that the replay selects, and few others. */
function isReadByWebhook({ filter }: ReplayScope): boolean {
  return filter.only === 'failed' || filter.only === 'open' || hasCodes(filter);
}

/** Whether the index of the tenant's events contains all events that the replay selects. */
function isReadByTenant(scope: ReplayScope): boolean {
  return scope.tenantId !== null && scope.tenantId !== everyTenant && !isReadByWebhook(scope);
}

function indexFor(scope: ReplayScope, { inScope }: ScopeTypes): PageQuery['index'] {
  if (isReadByWebhook(scope)) {
    return eventIndexes.byWebhook.key;
  }
  if (isReadByTenant(scope)) {
    return eventIndexes.byTenant.key;
  }
  return inScope === null || inScope.length > maximumMergedTypes
    ? eventIndexes.all.key
    : eventIndexes.byType.key;
}

function candidateOf(document: EventDocument): readonly ReplayCandidate[] {
  const { _id: id, type, created, source, deliveries = [], ...optional } = withDeliveries(document);
  const { onlyWebhookId = null, tenantId = null } = optional;
  const [delivery = null] = deliveries;
  return type === undefined || created === undefined || source === undefined
    ? []
    : [{ id, type, created, source, onlyWebhookId, tenantId, delivery }];
}

/** A document whose `deliveries` may be missing. The projection omits `deliveries` if no delivery matches. */
function withDeliveries(document: EventDocument): Omit<EventDocument, 'deliveries'> & Partial<EventDocument> {
  return document;
}
