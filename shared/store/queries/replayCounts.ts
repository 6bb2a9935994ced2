import type { ReplayedDelivery, ReplayOutcome } from '../../domain/deliveries/replayedDelivery.js';
import type { Replay } from '../../domain/replays/replay.js';
import type { EventDocument } from '../models/documents.js';
import { eventIndexes } from '../models/indexes.js';
import type { ReadModel } from '../models/readModels.js';

/** The outcomes of the deliveries that a replay has handed over, as far as the model `events` has read the log. */
export interface ReplayCounts {
  /** @throws UnavailableError if the model is incomplete, or the count takes too long */
  count: (replay: Pick<Replay, 'id' | 'accountId'>, outcome: ReplayOutcome) => Promise<number>;
  /** How many deliveries were handed over, whatever their outcome. */
  handedOver: (replayId: string) => Promise<number>;
}

/**
 * The keys of the replays of an event's document: each replay alone, and with its outcome. Separate counts of all
 * outcomes may count a delivery twice or never if it changes in between. The key of the replay alone never changes.
 */
export function replayKeys(
  replays: readonly Pick<ReplayedDelivery, 'replayId' | 'outcome'>[],
): readonly string[] {
  return replays.flatMap(({ replayId, outcome }) => [replayId, outcomeKey(replayId, outcome)]);
}

function outcomeKey(replayId: string, outcome: ReplayOutcome): string {
  return `${replayId}/${outcome}`;
}

/**
 * Counts keys of an index. A replay has one webhook, so each event and each delivery counts once. Duplicates of its
 * records fold into the same document.
 */
export function createReplayCounts(events: Pick<ReadModel<EventDocument>, 'count'>): ReplayCounts {
  const countOf = (key: string, owner = '') =>
    events.count({ filter: { replayed: key }, index: eventIndexes.byReplay.key, owner });

  return {
    count: ({ id, accountId }, outcome) => countOf(outcomeKey(id, outcome), accountId),
    handedOver: (replayId) => countOf(replayId),
  };
}
