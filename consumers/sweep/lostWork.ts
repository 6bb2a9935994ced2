import { setTimeout as pause } from 'node:timers/promises';

import type { Connections } from '../../shared/connections.js';
import { messageOf } from '../../shared/errors.js';
import type { PreparePartition } from '../../shared/kafka/preparedConsumer.js';
import type { Logger } from '../../shared/logger.js';
import { retryGroup } from '../../shared/topics/groups.js';
import type { TopicName } from '../../shared/topics/names.js';
import { createPlanAnew, type PlanAnewDependencies } from './planAnew.js';

export interface LostWorkDependencies extends Pick<PlanAnewDependencies, 'pursuePair' | 'partitions'> {
  readonly connections: Pick<Connections, 'groups' | 'models' | 'offsets' | 'progress'>;
  /** Stands before each topic's and group's name. */
  readonly prefix: string;
  readonly logger: Pick<Logger, 'warn'>;
}

const retryPauseMs = 1000;

/**
 * Has what waited in a partition of a tier planned anew, where the log has deleted some of it unread: tiers are kept for seven
 * days beyond their delay, and consumers may be away for longer. The sign of it is the committed offset, so nothing may be
 * committed before all is planned: a process that dies on the way leaves it to the next one.
 */
export function createLostWork(dependencies: LostWorkDependencies): PreparePartition {
  const { connections, prefix, logger } = dependencies;
  const { groups, progress } = connections;
  const { groupId } = retryGroup(prefix);
  const planAnew = createPlanAnew({ ...dependencies, ...connections, progress: progress.events });
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
        const beginning = (await deletedOf(topic)).get(partition) ?? null;
        if (beginning !== null) {
          logger.warn(
            { topic, partition, beginning },
            'planned attempts are gone: all that is open is planned anew',
          );
          await planAnew(partition, signal);
        }
        return beginning;
      } catch (error) {
        logger.warn({ topic, partition, error: messageOf(error) }, 'planned attempts wait');
        await pause(retryPauseMs);
      }
    }
    return null;
  };
}
