import { setTimeout as pause } from 'node:timers/promises';

import type { Connections } from '../../shared/connections/connections.js';
import { messageOf } from '../../shared/core/errors.js';
import type { PreparePartition } from '../../shared/log/group/assignmentBarrier.js';
import { retryGroup } from '../../shared/log/topics/groups.js';
import type { TopicName } from '../../shared/log/topics/names.js';
import { createRescheduleMissing, type RescheduleMissingDependencies } from './rescheduleMissing.js';

export interface RetentionRecoveryDependencies extends Pick<
  RescheduleMissingDependencies,
  'resumeDelivery' | 'partitions' | 'logger'
> {
  readonly connections: Pick<Connections, 'groups' | 'models' | 'offsets' | 'progress'>;
  /** The prefix of each topic's and group's name. */
  readonly prefix: string;
}

const retryPauseMs = 1000;

/**
 * Reschedules the retries of a tier's partition if Kafka's retention has deleted some of its records unread: tiers are kept for
 * seven days beyond their delay, and consumers may be stopped for longer. The committed offset shows the loss, so nothing is
 * committed before all is scheduled: if a process dies meanwhile, the next one sees the same loss.
 */
export function createRetentionRecovery(dependencies: RetentionRecoveryDependencies): PreparePartition {
  const { connections, prefix, logger } = dependencies;
  const { groups, progress } = connections;
  const { groupId } = retryGroup(prefix);
  const rescheduleMissing = createRescheduleMissing({
    ...dependencies,
    ...connections,
    progress: progress.events,
  });
  const asking = new Map<TopicName, Promise<ReadonlyMap<number, number>>>();

  /** All partitions of a tier that are assigned together share one question. */
  const deletedOf = (tier: TopicName) => {
    const question =
      asking.get(tier) ?? groups.deletedUnread(groupId, tier).finally(() => asking.delete(tier));
    asking.set(tier, question);
    return question;
  };

  return async ({ topic, partition }, signal) => {
    while (!signal.aborted) {
      try {
        const deferredStart = (await deletedOf(topic)).get(partition) ?? null;
        if (deferredStart !== null) {
          logger.warn(
            { topic, partition, deferredStart },
            'Kafka has deleted retry records unread: all open deliveries are rescheduled',
          );
          await rescheduleMissing(partition, signal);
        }
        return deferredStart;
      } catch (error) {
        logger.warn({ topic, partition, error: messageOf(error) }, 'retention recovery waits');
        await pause(retryPauseMs);
      }
    }
    return null;
  };
}
