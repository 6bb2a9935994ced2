import type { TopicOffsets } from '../../shared/kafka/topicOffsets.js';
import type { EventDocument } from '../../shared/mongo/documents.js';
import { allPartitions, hasReached, type AwaitedOffsets } from '../../shared/mongo/modelProgress.js';
import type { ReadModel } from '../../shared/mongo/readModels.js';

/** Whether the model contains the outcomes of all attempts that began before a moment. Once it does, it continues to. */
export type IsSettled = () => Promise<boolean>;

export interface SettlingDependencies {
  readonly events: Pick<ReadModel<EventDocument>, 'recentMeta'>;
  readonly offsets: Pick<TopicOffsets, 'ends'>;
  /** Milliseconds that only go forward. */
  readonly now: () => number;
  /** The longest time between the begin of an attempt and its outcome in the log, in milliseconds. */
  readonly settledAfterMs: number;
}

/** An attempt that is in flight when its webhook ends may still schedule the next one. Its outcome says so. */
export function createSettling(dependencies: SettlingDependencies): () => IsSettled {
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
