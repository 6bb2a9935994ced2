import { setTimeout as pause } from 'node:timers/promises';

import { messageOf } from '../../core/errors.js';
import type { Logger } from '../../core/logger.js';
import { encodeTakenUp, type TakenUpOffset } from '../client/takenUp.js';
import type { TopicPartition } from '../client/topicPartition.js';
import type { CommittedPosition, GroupConsumer } from '../group/groupConsumer.js';
import type { AssignedPartition, AssignedPartitions } from './assignedPartitions.js';

/** The commits of the assigned partitions of a group member. */
export interface PartitionCommits {
  /**
   * Commits the start offset of a partition before its first record is handled. So if the log has outcomes but the
   * group has no committed offset, the offset has expired.
   * @returns false if nothing is committed, after a pause; the caller tries again
   */
  readonly begin: (assignment: AssignedPartition, offset: number) => Promise<boolean>;
  /** Commits the offsets that have changed, unless a commit is in flight. */
  readonly commit: () => Promise<void>;
  /** Commits the offsets that have changed after the commit in flight has ended. */
  readonly last: () => Promise<void>;
}

/** Reads the committed taken-up offset of a partition. */
export type ReadTakenUp = (partition: TopicPartition) => Promise<TakenUpOffset | null>;

interface CommitDependencies {
  readonly consumer: Pick<GroupConsumer, 'commit'>;
  readonly assignments: Pick<AssignedPartitions, 'all'>;
  readonly logger: Pick<Logger, 'warn'>;
}

/** The next offset to read of a partition, and its taken-up offset. */
interface Progress {
  readonly assignment: AssignedPartition;
  readonly offset: number;
  readonly takenUp: TakenUpOffset | null;
}

const commitFailedPauseMs = 100;

/**
 * Creates the commits of a windowed consumer. With `readTakenUp`, the metadata of a committed offset is the taken-up
 * offset. The taken-up offset of an earlier owner is read before the first commit, and no commit lowers it. Each event
 * below it has its records in the log, so it remains true.
 */
export function createPartitionCommits(
  { consumer, assignments, logger }: CommitDependencies,
  readTakenUp?: ReadTakenUp,
): PartitionCommits {
  let committing: Promise<void> | null = null;

  /** @returns false if Kafka does not respond */
  const restoreTakenUp = async (assignment: AssignedPartition): Promise<boolean> => {
    try {
      assignment.takenUp = (await readTakenUp?.(assignment.partition)) ?? null;
      assignment.takenUpBefore = assignment.takenUp?.offset ?? 0;
      return true;
    } catch (error) {
      logger.warn({ ...assignment.partition, error: messageOf(error) }, 'the taken-up offset cannot be read');
      return false;
    }
  };

  const commitPositions = async (positions: readonly Progress[]) => {
    const committed = positions.map(({ assignment, offset, takenUp }): CommittedPosition => ({
      ...assignment.partition,
      offset,
      ...(takenUp !== null && { metadata: encodeTakenUp(takenUp) }),
    }));
    if (committed.length > 0 && (await consumer.commit(committed))) {
      for (const { assignment, offset, takenUp } of positions) {
        assignment.committed = offset;
        assignment.takenUp = takenUp;
      }
    }
  };

  const takenUpOf = ({ window, takenUp }: AssignedPartition) =>
    readTakenUp === undefined ? null : laterOf(takenUp, window.takenUp());

  const commitProgress = () => {
    const positions = assignments.all().flatMap((assignment) => {
      const offset = assignment.window.watermark();
      const takenUp = takenUpOf(assignment);
      const isCommitted = offset === assignment.committed && takenUp?.offset === assignment.takenUp?.offset;
      return offset === null || isCommitted ? [] : [{ assignment, offset, takenUp }];
    });
    return commitPositions(positions);
  };

  const commitOnce = () => {
    committing ??= commitProgress().finally(() => {
      committing = null;
    });
    return committing;
  };

  return {
    begin: async (assignment, offset) => {
      const { signal } = assignment.lost;
      const hasCommitted = () => assignment.committed !== null;
      if (!hasCommitted() && (await restoreTakenUp(assignment)) && !signal.aborted) {
        await commitPositions([{ assignment, offset, takenUp: assignment.takenUp }]);
      }
      // Pauses after a failed commit, because kafkajs fetches a batch that was not taken again at once.
      await (hasCommitted() ? null : pause(commitFailedPauseMs));
      return hasCommitted();
    },
    commit: commitOnce,
    last: async () => {
      // The commit in flight has older offsets. Two commits in flight could arrive in the wrong order.
      await committing;
      await commitOnce();
    },
  };
}

function laterOf(committed: TakenUpOffset | null, current: TakenUpOffset | null): TakenUpOffset | null {
  return committed === null || (current !== null && current.offset > committed.offset) ? current : committed;
}
