import type { GroupConsumer } from '../../shared/log/group/groupConsumer.js';
import { nameOfPartition, type TopicPartition } from '../../shared/log/client/topicPartition.js';

/** Commits how far each of these partitions is, if that has changed since the last commit. */
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
