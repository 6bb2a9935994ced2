import { sharedNext } from '../../shared/concurrency/sharedNext.js';
import {
  homeOfCounters,
  type BacklogLane,
  type CountersDocument,
  type DeliveryEntry,
  type DerivedDocument,
  type EventDocument,
} from '../../shared/store/models/documents.js';
import type { ModelPositions } from '../../shared/store/models/generations.js';
import { eventIndexes } from '../../shared/store/models/indexes.js';
import type { ReadModel } from '../../shared/store/models/readModels.js';

/** The parked deliveries of one webhook in one partition. */
export interface BacklogReference {
  readonly accountId: string;
  /** The tenancy of the webhook; null without one. */
  readonly tenancy: string | null;
  readonly webhookId: string;
  /** The home partition of the events. */
  readonly home: number;
}

export interface BacklogQuery extends Pick<BacklogReference, 'webhookId' | 'home'> {
  readonly lane: BacklogLane;
  /** The page begins with the first event above this offset. */
  readonly above: number;
  readonly limit: number;
}

/** The reads of backlogs. Each read throws UnavailableError if the read model cannot be read, or is incomplete. */
export interface BacklogPages {
  /** The first parked deliveries of a backlog, in the order of their events in the log. */
  readonly first: (query: BacklogQuery) => Promise<readonly DeliveryEntry[]>;
  /** The number of a webhook's parked deliveries. Concurrent calls share reads. */
  readonly count: (webhookId: string) => Promise<number>;
  /**
   * The backlogs of the given home partitions, the longest first, with their numbers of parked deliveries.
   * @param homes null for all partitions
   */
  readonly all: (
    homes: readonly number[] | null,
  ) => Promise<readonly (BacklogReference & { readonly parked: number })[]>;
  /** The positions of the model, at most two seconds old. Each later read includes them. */
  readonly positions: () => Promise<ModelPositions>;
}

/** The most webhooks of one read of counters. */
const countedAtOnce = 100;
/** The most counters documents of one webhook: one for each partition. */
const partitionsOfWebhook = 10_000;
/** The most backlogs that one read returns. The others follow when these have ended. */
export const mostBacklogs = 50_000;

/** @param most the most backlogs that one read returns */
export function createBacklogPages(
  events: Pick<ReadModel<EventDocument>, 'findDerived' | 'recentMeta'>,
  most = mostBacklogs,
): BacklogPages {
  const asked = new Set<string>();
  /** The numbers of parked deliveries of the webhooks that were asked for first. */
  const countAsked = sharedNext(async (): Promise<ReadonlyMap<string, number>> => {
    const webhookIds = [...asked].slice(0, countedAtOnce);
    webhookIds.forEach((webhookId) => asked.delete(webhookId));
    const found = await events.findDerived({
      filter: { 'counters.webhookId': { $in: webhookIds }, 'counters.parked': { $gt: 0 } },
      sort: { 'counters.webhookId': 1 },
      limit: partitionsOfWebhook * countedAtOnce,
      index: eventIndexes.counters.key,
    });
    const counts = new Map(webhookIds.map((webhookId) => [webhookId, 0]));
    for (const { counters } of found.filter(isCounters)) {
      const { webhookId, parked = 0 } = counters;
      counts.set(webhookId, (counts.get(webhookId) ?? 0) + parked);
    }
    return counts;
  });

  return {
    first: async ({ webhookId, home, lane, above, limit }) => {
      const found = await events.findDerived({
        filter: {
          'entry.backlog': webhookId,
          'entry.home': home,
          'entry.lane': lane,
          'entry.offset': { $gt: above },
        },
        sort: { 'entry.offset': 1 },
        limit,
        index: eventIndexes.backlogs.key,
      });
      return found.flatMap((document) => ('entry' in document ? [document.entry] : []));
    },
    count: async (webhookId) => {
      for (;;) {
        asked.add(webhookId);
        const count = (await countAsked()).get(webhookId);
        if (count !== undefined) {
          return count;
        }
      }
    },
    all: async (homes) => {
      const found = await events.findDerived({
        filter: { 'counters.parked': { $gt: 0 }, ...(homes !== null && countersAt(homes)) },
        sort: { 'counters.parked': -1 },
        limit: most,
        index: eventIndexes.parkedCounters.key,
      });
      return found.filter(isCounters).map((document) => {
        const [, accountId = ''] = document._id.split('/');
        const { webhookId, ofTenancy: tenancy = null, parked = 0 } = document.counters;
        return { accountId, tenancy, webhookId, home: homeOfCounters(document), parked };
      });
    },
    positions: async () => (await events.recentMeta()).positions,
  };
}

/** The filter for the counters of some home partitions, whose number is the end of the id. */
function countersAt(homes: readonly number[]) {
  return { _id: { $regex: `/(?:${homes.join('|')})$` } };
}

function isCounters(document: DerivedDocument): document is CountersDocument {
  return 'counters' in document;
}
