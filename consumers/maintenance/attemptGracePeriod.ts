import type { TopicOffsets } from '../../shared/log/client/topicOffsets.js';
import type { EventDocument } from '../../shared/store/models/documents.js';
import { allPartitions, hasReached, type AwaitedOffsets } from '../../shared/store/models/modelProgress.js';
import type { ReadModel } from '../../shared/store/models/readModels.js';

/** Whether the model `events` has the outcomes of all attempts that began before the grace period. True is final. */
export type IsGracePeriodOver = () => Promise<boolean>;

export interface AttemptGracePeriodDependencies {
  readonly events: Pick<ReadModel<EventDocument>, 'recentMeta'>;
  readonly offsets: Pick<TopicOffsets, 'ends'>;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** The longest time between the start of an attempt and its outcome in the log, in milliseconds. */
  readonly settledAfterMs: number;
}

/** The time for which an attempt that was in flight when its webhook ended may still schedule the next attempt. */
export function createAttemptGracePeriod(
  dependencies: AttemptGracePeriodDependencies,
): () => IsGracePeriodOver {
  const { events, offsets, now, settledAfterMs } = dependencies;
  return () => {
    const since = now();
    let lastEnds: AwaitedOffsets | null = null;
    return async () => {
      if (lastEnds === null && now() - since >= settledAfterMs) {
        lastEnds = allPartitions(await offsets.ends('deliveries'));
      }
      return lastEnds !== null && hasReached(await events.recentMeta(), 'deliveries', lastEnds);
    };
  };
}
