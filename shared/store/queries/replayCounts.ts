import type { ReplayedDelivery, ReplayOutcome } from '../../domain/deliveries/replayedDelivery.js';
import type { Replay } from '../../domain/replays/replay.js';
import type { EventDocument } from '../models/documents.js';
import { eventIndexes } from '../models/indexes.js';
import type { ReadModel } from '../models/readModels.js';

/** Counts of the deliveries that a replay has requested, as far as the read model `events` has read the log. */
export interface ReplayCounts {
  /**
   * Counts the deliveries of a replay with an outcome.
   * @throws UnavailableError if the read model is incomplete, or if the count takes too long
   */
  count: (replay: Pick<Replay, 'id' | 'accountId'>, outcome: ReplayOutcome) => Promise<number>;
  /**
   * Counts the deliveries of a replay that have joined another request: the attempts of that request count for the replay.
   * @throws UnavailableError if the read model is incomplete, or if the count takes too long
   */
  joined: (replay: Pick<Replay, 'id' | 'accountId'>) => Promise<number>;
  /** Counts the deliveries that a replay has requested, with any outcome. */
  handedOver: (replayId: string) => Promise<number>;
}

/**
 * The keys of an event's replays for an index: each replay's id alone, with its outcome, and with `joined` if the replay
 * has joined another request. If a delivery changes
 * between two counts of outcomes, the sum of the counts is wrong. The key with the replay's id alone never changes, so
 * the total is exact.
 */
export function replayKeys(
  replays: readonly Pick<ReplayedDelivery, 'replayId' | 'outcome' | 'joined'>[],
): readonly string[] {
  return replays.flatMap(({ replayId, outcome, joined = false }) => {
    const hasJoined = joined && outcome !== 'canceled';
    return [replayId, outcomeKey(replayId, outcome), ...(hasJoined ? [joinedKey(replayId)] : [])];
  });
}

function joinedKey(replayId: string): string {
  return `${replayId}/joined`;
}

/** The key of a replay's deliveries with an outcome. */
export function outcomeKey(replayId: string, outcome: ReplayOutcome): string {
  return `${replayId}/${outcome}`;
}

/** Counts the index keys of replays. A replay has one webhook, so each event has at most one delivery of the replay. */
export function createReplayCounts(events: Pick<ReadModel<EventDocument>, 'count'>): ReplayCounts {
  const countOf = (key: string, share = '') =>
    events.count({ filter: { replayed: key }, index: eventIndexes.byReplay.key, share });

  return {
    count: ({ id, accountId }, outcome) => countOf(outcomeKey(id, outcome), accountId),
    joined: ({ id, accountId }) => countOf(joinedKey(id), accountId),
    handedOver: (replayId) => countOf(replayId),
  };
}
