import { setTimeout as pause } from 'node:timers/promises';

import type { Connections } from '../../shared/connections/connections.js';
import { messageOf } from '../../shared/core/errors.js';
import type { PreparePartition } from '../../shared/log/group/assignmentBarrier.js';
import { deliveryGroup, retryGroup } from '../../shared/log/topics/groups.js';
import type { TopicName } from '../../shared/log/topics/names.js';
import { createRescheduleMissing, type RescheduleMissingDependencies } from './rescheduleMissing.js';

export interface RetentionRecoveryDependencies extends Pick<
  RescheduleMissingDependencies,
  'resumeDelivery' | 'logger'
> {
  readonly connections: Pick<Connections, 'groups' | 'models' | 'offsets' | 'progress'>;
  /** The prefix of all topic names and group names. */
  readonly prefix: string;
}

const retryPauseMs = 1000;

/**
 * Reschedules the retries of a tier's partition if Kafka's retention has deleted unread records of the partition. Kafka
 * retains the records of tiers for seven days beyond their delay, but consumers may be stopped for longer. The
 * committed offset shows the loss, so the consumer commits no offset before all retries are scheduled. If the process
 * dies before the commit, the next owner of the partition detects the same loss.
 */
export function createRetentionRecovery(dependencies: RetentionRecoveryDependencies): PreparePartition {
  const { connections, prefix, logger } = dependencies;
  const { groups, progress } = connections;
  const { groupId } = retryGroup(prefix);
  const rescheduleMissing = createRescheduleMissing({
    ...dependencies,
    ...connections,
    progress: progress.events,
    committedEvents: () => groups.committed(deliveryGroup(prefix).groupId, 'events'),
  });
  const lookUps = new Map<TopicName, Promise<ReadonlyMap<number, number>>>();

  /** Returns the log start offsets of a tier. Partitions of a tier that are assigned together share one look-up. */
  const logStartsOf = (tier: TopicName) => {
    const lookUp =
      lookUps.get(tier) ?? groups.deletedUnread(groupId, tier).finally(() => lookUps.delete(tier));
    lookUps.set(tier, lookUp);
    return lookUp;
  };

  return async ({ topic, partition }, signal) => {
    while (!signal.aborted) {
      try {
        const logStartOffset = (await logStartsOf(topic)).get(partition) ?? null;
        if (logStartOffset !== null) {
          logger.warn(
            { topic, partition, logStartOffset },
            'Kafka has deleted unread retry records: all open deliveries of the partition are rescheduled',
          );
          await rescheduleMissing(partition, signal);
        }
        return logStartOffset;
      } catch (error) {
        logger.warn(
          { topic, partition, error: messageOf(error) },
          'the retention recovery failed and is repeated',
        );
        await pause(retryPauseMs);
      }
    }
    return null;
  };
}
