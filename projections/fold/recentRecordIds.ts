import { nameOfPartition, type TopicPartition } from '../../shared/log/client/topicPartition.js';

/**
 * The ids of the last records of each partition, for models that count records. A producer that got no answer appends
 * its record again, and the duplicate must not count.
 */
export interface RecentRecordIds {
  /**
   * The offset at which to start reading, so that the ids shortly before `next` are known. The offset is `next` if the
   * ids are known already. If the ids are unknown, the offset is lower by the number of remembered records.
   */
  startOffsetFor: (partition: TopicPartition, next: number) => number;
  has: (partition: TopicPartition, id: string) => boolean;
  /** Remembers consecutive records, the last of which is just before `next`. */
  remember: (partition: TopicPartition, ids: readonly string[], next: number) => void;
}

interface PartitionIds {
  readonly ids: Set<string>;
  next: number;
}

/** @param limit how many records of each partition are remembered */
export function createRecentRecordIds(limit: number): RecentRecordIds {
  const partitions = new Map<string, PartitionIds>();

  return {
    startOffsetFor: (partition, next) => {
      if (partitions.get(nameOfPartition(partition))?.next === next) {
        return next;
      }
      const beginning = Math.max(0, next - limit);
      partitions.set(nameOfPartition(partition), { ids: new Set(), next: beginning });
      return beginning;
    },
    has: (partition, id) => partitions.get(nameOfPartition(partition))?.ids.has(id) ?? false,
    remember: (partition, ids, next) => {
      const remembered = partitions.get(nameOfPartition(partition)) ?? { ids: new Set(), next };
      partitions.set(nameOfPartition(partition), remembered);
      for (const id of ids) {
        // A set iterates in insertion order, so the ids that were seen last come last.
        remembered.ids.delete(id);
        remembered.ids.add(id);
      }
      evictOldest(remembered.ids, limit);
      remembered.next = Math.max(remembered.next, next);
    },
  };
}

function evictOldest(ids: Set<string>, limit: number): void {
  for (const oldest of ids) {
    if (ids.size <= limit) {
      return;
    }
    ids.delete(oldest);
  }
}

/** The recent record ids for a projection, or null if its fold ignores duplicates. */
export function recentRecordIdsFor({
  deduplicationWindow = 0,
}: {
  readonly deduplicationWindow?: number;
}): RecentRecordIds | null {
  return deduplicationWindow === 0 ? null : createRecentRecordIds(deduplicationWindow);
}
