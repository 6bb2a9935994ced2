import type { TopicPartition } from '../../shared/kafka/topicPartition.js';
import { partitionOf } from '../../shared/topics/partition.js';

/** Which events' deliveries this process works on: those whose partition of the tiers is its own. */
export interface OwnedEvents {
  /** To be called when a partition of a tier becomes ours, with the signal of that assignment. */
  add: (partition: TopicPartition, signal: AbortSignal) => void;
  owns: (eventId: string) => boolean;
}

/**
 * @param partitions of each topic
 * @param onAdded called when there is more to work on
 */
export function createOwnedEvents(partitions: number, onAdded: () => void): OwnedEvents {
  /** All tiers of one partition are one process's, so that one of their assignments stands for the others. */
  const owned = new Map<number, AbortSignal>();
  return {
    add: ({ partition }, signal) => {
      owned.set(partition, signal);
      onAdded();
    },
    owns: (eventId) => owned.get(partitionOf(eventId, partitions))?.aborted === false,
  };
}
