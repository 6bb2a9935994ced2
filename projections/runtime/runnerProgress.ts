import { nameOfPartition, type TopicPartition } from '../../shared/log/client/topicPartition.js';
import type { GroupConsumer } from '../../shared/log/group/groupConsumer.js';
import type { ModelDocument } from '../../shared/store/models/documents.js';
import type { Batch } from '../fold/foldBatches.js';

/** Commits the positions of the given partitions that have changed since the last commit. */
export type CommitPositions = (
  partitions: readonly TopicPartition[],
  positions: ReadonlyMap<string, number>,
) => Promise<void>;

export function createCommits(consumer: Pick<GroupConsumer, 'commit'>): CommitPositions {
  const committed = new Map<string, number>();
  return async (partitions, positions) => {
    const changed = partitions.flatMap((partition) => {
      const offset = positions.get(nameOfPartition(partition));
      return offset === undefined || offset === committed.get(nameOfPartition(partition))
        ? []
        : [{ ...partition, offset }];
    });
    if (changed.length > 0 && (await consumer.commit(changed))) {
      changed.forEach((position) => committed.set(nameOfPartition(position), position.offset));
    }
  };
}

/** The age of the oldest record of each partition that was fetched and is not folded yet. */
export interface OldestPending<Model extends ModelDocument> {
  /** @param timestamp when the first fetched record was appended, in milliseconds since 1970 */
  begin: (partition: TopicPartition, timestamp: number) => void;
  /** @param isLast whether no later batch of the partition is pending */
  finish: (batch: Batch<Model>, isLast: boolean) => void;
  clear: () => void;
  /** When the oldest pending record was appended, or null if no record is pending. */
  since: () => number | null;
}

export function createOldestPending<Model extends ModelDocument>(): OldestPending<Model> {
  const timestamps = new Map<string, number>();
  return {
    begin: (partition, timestamp) => {
      const name = nameOfPartition(partition);
      timestamps.set(name, timestamps.get(name) ?? timestamp);
    },
    finish: ({ partition, records }, isLast) => {
      const name = nameOfPartition(partition);
      const last = records.at(-1)?.record.timestamp ?? timestamps.get(name);
      if (isLast || last === undefined) {
        timestamps.delete(name);
      } else {
        // Later records of the partition were appended no earlier than the last record of the batch.
        timestamps.set(name, last);
      }
    },
    clear: () => {
      timestamps.clear();
    },
    since: () => (timestamps.size === 0 ? null : Math.min(...timestamps.values())),
  };
}
