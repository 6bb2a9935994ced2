import type { Replay } from '../../domain/replays/replay.js';
import type { ReplayedDelivery, ReplayOutcome } from '../../domain/deliveries/replayedDelivery.js';
import type { EventDocument } from '../models/documents.js';
import { eventIndexes } from '../models/indexes.js';
import type { ReadModel } from '../models/readModels.js';

/** What has become of the deliveries that a replay has handed over, as far as the model `events` has read the log. */
export interface ReplayCounts {
  /** @throws UnavailableError where the model is not complete, or counting takes too long */
  count: (replay: Pick<Replay, 'id' | 'accountId'>, outcome: ReplayOutcome) => Promise<number>;
  /** How many were handed over, whatever has become of them. */
  handedOver: (replayId: string) => Promise<number>;
}

/**
 * How an event's document names the replays that it is part of: each one by itself, and with what has become of it. Whoever counts
 * all outcomes one after another counts what moves between them twice, or not at all: the name alone stays.
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
 * Counts keys of an index. An event is in a replay once, since a replay is to one webhook, so each delivery is counted once, and
 * where a document was folded from records that stand in the log twice, it is the same document.
 */
export function createReplayCounts(events: Pick<ReadModel<EventDocument>, 'count'>): ReplayCounts {
  const countOf = (key: string, owner = '') =>
    events.count({ filter: { replayed: key }, index: eventIndexes.byReplay.key, owner });

  return {
    count: ({ id, accountId }, outcome) => countOf(outcomeKey(id, outcome), accountId),
    handedOver: (replayId) => countOf(replayId),
  };
}
