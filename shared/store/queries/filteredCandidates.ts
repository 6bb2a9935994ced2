import {
  isFiltered,
  isSelected,
  type ReplayCandidate,
  type ReplayScope,
} from '../../domain/replays/replaySelection.js';
import type { Filters } from '../../filters/filters.js';
import { fromBinary } from '../client/binary.js';
import type { EventDocument } from '../models/documents.js';
import type { ReadModel } from '../models/readModels.js';
import { candidatePage, countSelected, type Counting, type SelectedCount } from './replayCandidates.js';

type Events = ReadModel<EventDocument>;

/** The events whose `data` are read at once, up to 256 KiB each. */
const eventsPerRead = 20;
/** The candidates of one page of a count. */
const candidatesPerPage = 500;

/**
 * The first events of a list that match the filter of the webhook. If the filter does not decide on an event, it matches.
 * @param candidates events that the replay selects by their types and deliveries
 * @param limit the number of events after which the search ends
 */
export async function firstMatching(
  { events, filters }: { readonly events: Pick<Events, 'findPage'>; readonly filters: Filters },
  scope: ReplayScope,
  { candidates, limit }: { readonly candidates: readonly ReplayCandidate[]; readonly limit: number },
): Promise<readonly ReplayCandidate[]> {
  if (scope.webhookFilter === undefined) {
    return candidates.slice(0, limit);
  }
  const matching: ReplayCandidate[] = [];
  for (let first = 0; first < candidates.length && matching.length < limit; first += eventsPerRead) {
    const some = candidates.slice(first, first + eventsPerRead);
    const data = await dataOf(events, scope, some);
    for (const candidate of some) {
      if (await matches(filters, scope, candidate, data.get(candidate.id))) {
        matching.push(candidate);
      }
    }
  }
  return matching.slice(0, limit);
}

/** Counts the events that a replay selects, and that match the filter of the webhook. */
export async function countMatching(
  {
    events,
    filters,
  }: {
    readonly events: Pick<Events, 'countPage' | 'findPage' | 'findValues'>;
    readonly filters: Filters;
  },
  scope: ReplayScope,
  counting: Counting,
): Promise<SelectedCount> {
  if (scope.webhookFilter === undefined) {
    return countSelected(events, scope, counting);
  }
  let matched = 0;
  let after: Parameters<typeof candidatePage>[2]['after'] = null;
  while (counting.isWanted()) {
    const page = await candidatePage(events, scope, { after, limit: candidatesPerPage });
    const candidates = page.candidates.filter((candidate) => isSelected(candidate, scope));
    for (let first = 0; first < candidates.length && counting.isWanted(); first += eventsPerRead) {
      const some = candidates.slice(first, first + eventsPerRead);
      const found = await firstMatching({ events, filters }, scope, { candidates: some, limit: some.length });
      matched += found.length;
    }
    after = page.next;
    if (after === null) {
      return { matched, complete: counting.isWanted() };
    }
  }
  return { matched, complete: false };
}

async function matches(
  filters: Filters,
  scope: ReplayScope,
  candidate: ReplayCandidate,
  data: Buffer | undefined,
): Promise<boolean> {
  if (!isFiltered(candidate, scope)) {
    return true;
  }
  // An event that has expired since the read of the candidates can no longer be delivered.
  return (
    data !== undefined &&
    (await filters.select([scope], ({ webhookFilter = null }) => webhookFilter, { ...candidate, data }))
      .length > 0
  );
}

/** The `data` of the events on which the filter decides, by the ids of the events. */
async function dataOf(
  events: Pick<Events, 'findPage'>,
  scope: ReplayScope,
  candidates: readonly ReplayCandidate[],
): Promise<ReadonlyMap<string, Buffer>> {
  const ids = candidates.filter((candidate) => isFiltered(candidate, scope)).map(({ id }) => id);
  if (ids.length === 0) {
    return new Map();
  }
  const { accountId, mode } = scope;
  const found = await events.findPage({
    ranges: [{ filter: { _id: { $in: ids }, accountId, mode }, sort: { _id: 1 } }],
    limit: ids.length,
    index: { _id: 1 },
    projection: { data: 1 },
    share: accountId,
  });
  return new Map(
    found.flatMap(({ _id: id, data }) => (data === undefined ? [] : [[id, fromBinary(data)] as const])),
  );
}
