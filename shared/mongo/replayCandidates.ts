import {
  isSelected,
  typesInScope,
  type ReplayCandidate,
  type ReplayScope,
} from '../domain/replaySelection.js';
import type { ReplayCursor } from '../domain/replay.js';
import type { EventDocument } from './documents.js';
import { eventIndexes } from './indexes.js';
import type { OrderedRange, PageQuery, ReadModel } from './readModels.js';

type Events = Pick<ReadModel<EventDocument>, 'findPage'>;

/** Events of a scope's time and types, oldest first, from behind a cursor on. */
export interface CandidatePage {
  readonly candidates: readonly ReplayCandidate[];
  /** Where the next page goes on; null behind the last one. */
  readonly next: ReplayCursor | null;
}

/** Of each event no more than a selection looks at. */
const projection = {
  created: 1,
  onlyWebhookId: 1,
  source: 1,
};
const countedPerRead = 2000;
const oldestFirst = { created: 1, _id: 1 } as const;

/**
 * A page of candidates. It is as many events of an index as are asked for, selected or not: however few of them are, each read has
 * an end.
 * @throws UnavailableError where the model is away or not complete
 */
export async function candidatePage(
  events: Events,
  scope: ReplayScope,
  { after, limit }: { readonly after: ReplayCursor | null; readonly limit: number },
): Promise<CandidatePage> {
  const { webhookId } = scope;
  const found = await events.findPage({
    ranges: rangesBehind(after, scope),
    limit,
    index: indexFor(scope),
    projection: { ...projection, deliveries: { $elemMatch: { webhookId } } },
  });
  const candidates = found.flatMap(candidateOf);
  const last = found.length < limit ? undefined : candidates.at(-1);
  return { candidates, next: last === undefined ? null : { created: last.created, eventId: last.id } };
}

/**
 * How many events are selected, counted page by page, so that however many there are, none of them are held in memory.
 * @returns null where `goesOn` was false before the end
 */
export async function countSelected(
  events: Events,
  scope: ReplayScope,
  goesOn: () => boolean,
): Promise<number | null> {
  let after: ReplayCursor | null = null;
  let count = 0;
  do {
    if (!goesOn()) {
      return null;
    }
    const page: CandidatePage = await candidatePage(events, scope, { after, limit: countedPerRead });
    count += page.candidates.filter((candidate) => isSelected(candidate, scope)).length;
    after = page.next;
  } while (after !== null);
  return count;
}

function rangesBehind(after: ReplayCursor | null, scope: ReplayScope): readonly OrderedRange[] {
  const filter = filterOf(scope);
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

function filterOf(scope: ReplayScope): OrderedRange['filter'] {
  const { accountId, mode, webhookId, filter } = scope;
  const types = typesInScope(scope);
  return {
    accountId,
    mode,
    ...(types !== null && { type: { $in: [...types] } }),
    // The second one is what the index is partial by.
    ...(filter.only === 'failed' && {
      deliveries: { $elemMatch: { webhookId, status: { $in: ['failed', 'canceled'] } } },
      'deliveries.status': { $exists: true },
    }),
  };
}

function indexFor(scope: ReplayScope): PageQuery['index'] {
  if (scope.filter.only === 'failed') {
    return eventIndexes.byWebhook.key;
  }
  return typesInScope(scope) === null ? eventIndexes.all.key : eventIndexes.byType.key;
}

function candidateOf(document: EventDocument): readonly ReplayCandidate[] {
  const { _id: id, created, source, onlyWebhookId = null, deliveries = [] } = withDeliveries(document);
  const [delivery = null] = deliveries;
  return created === undefined || source === undefined
    ? []
    : [{ id, created, source, onlyWebhookId, delivery }];
}

/** What is projected has no deliveries where none matches. */
function withDeliveries(document: EventDocument): Omit<EventDocument, 'deliveries'> & Partial<EventDocument> {
  return document;
}
