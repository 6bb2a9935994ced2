import { replayOutcomes, type ReplayedDelivery, type ReplayOutcome } from '../domain/replayedDelivery.js';
import type { EventDocument } from './documents.js';
import { eventIndexes } from './indexes.js';
import type { ReadModel } from './readModels.js';

/** What has become of the deliveries that a replay has handed over, as far as the model `events` has read the log. */
export interface ReplayCounts {
  /** @throws UnavailableError where the model is not complete, or counting takes too long */
  count: (replayId: string, outcome: ReplayOutcome) => Promise<number>;
  /** How many were handed over, whatever has become of them. */
  handedOver: (replayId: string) => Promise<number>;
}

/** How an event's document names a replay that it is part of, with what has become of it. */
export function replayKey({ replayId, outcome }: Pick<ReplayedDelivery, 'replayId' | 'outcome'>): string {
  return `${replayId}/${outcome}`;
}

/**
 * Counts keys of an index. An event is in a replay once, since a replay is to one webhook, so each delivery is counted once, and
 * where a document was folded from records that stand in the log twice, it is the same document.
 */
export function createReplayCounts(events: Pick<ReadModel<EventDocument>, 'count'>): ReplayCounts {
  const count: ReplayCounts['count'] = (replayId, outcome) =>
    events.count({
      filter: { replayed: replayKey({ replayId, outcome }) },
      index: eventIndexes.byReplay.key,
    });

  return {
    count,
    handedOver: async (replayId) => {
      const counts = await Promise.all(replayOutcomes.map((outcome) => count(replayId, outcome)));
      return counts.reduce((sum, each) => sum + each, 0);
    },
  };
}
