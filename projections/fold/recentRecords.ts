import { nameOfPartition, type TopicPartition } from '../../shared/log/client/topicPartition.js';

/**
 * The ids of the last records of each partition, for models that count: a producer that got no answer appends its record
 * again, and the second one must not count.
 */
export interface RecentRecords {
  /**
   * Where reading must begin so that all is remembered that stands shortly before `next`: at `next` where it is, else as
   * many records earlier as are remembered.
   */
  beginningFor: (partition: TopicPartition, next: number) => number;
  has: (partition: TopicPartition, id: string) => boolean;
  /** Remembers records that stand one behind the other, the last of them just before `next`. */
  remember: (partition: TopicPartition, ids: readonly string[], next: number) => void;
}

interface Remembered {
  readonly ids: Set<string>;
  next: number;
}

/** @param limit how many records of each partition are remembered */
export function createRecentRecords(limit: number): RecentRecords {
  const partitions = new Map<string, Remembered>();

  return {
    beginningFor: (partition, next) => {
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
        // A set keeps the order in which its members were added: those met last come last.
        remembered.ids.delete(id);
        remembered.ids.add(id);
      }
      forgetOldest(remembered.ids, limit);
      remembered.next = Math.max(remembered.next, next);
    },
  };
}

function forgetOldest(ids: Set<string>, limit: number): void {
  for (const oldest of ids) {
    if (ids.size <= limit) {
      return;
    }
    ids.delete(oldest);
  }
}

/** Null if a projection remembers no records: then its fold makes duplicates harmless. */
export function recentRecordsOf({
  rememberedRecords = 0,
}: {
  readonly rememberedRecords?: number;
}): RecentRecords | null {
  return rememberedRecords === 0 ? null : createRecentRecords(rememberedRecords);
}
