import type { TopicOffsets } from '../../shared/log/client/topicOffsets.js';
import type { EventDocument } from '../../shared/store/models/documents.js';
import { allPartitions, hasReached, type AwaitedOffsets } from '../../shared/store/models/modelProgress.js';
import type { ReadModel } from '../../shared/store/models/readModels.js';

/** Whether the model contains the outcomes of all attempts that began before a moment. Once it does, it continues to. */
export type IsGracePeriodOver = () => Promise<boolean>;

export interface AttemptGracePeriodDependencies {
  readonly events: Pick<ReadModel<EventDocument>, 'recentMeta'>;
  readonly offsets: Pick<TopicOffsets, 'ends'>;
  /** Milliseconds that only go forward. */
  readonly now: () => number;
  /** The longest time between the begin of an attempt and its outcome in the log, in milliseconds. */
  readonly settledAfterMs: number;
}

/** An attempt that is in flight when its webhook ends may still schedule the next one. Its outcome says so. */
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
