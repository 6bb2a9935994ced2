import { PartitionAssigners, type Cluster, type PartitionAssigner } from 'kafkajs';

import { withTimeout } from '../../concurrency/withTimeout.js';
import type { Logger } from '../../core/logger.js';
import { ownIdentity } from '../../runtime/processIdentity.js';
import { coPartitioning } from './coPartitioning.js';
import { evictDeadMembers } from './evictDeadMembers.js';
import { beforeRejoin, generationOf } from '../kafkajs-internals/membership.js';
import { withMemberData, type Claim } from './memberData.js';
import { stickyAssigner } from './stickyAssigner.js';
import type { TopicPartition } from '../client/topicPartition.js';

/** This process as a member of one group: what it tells the group, and how it passes from one assignment to the next. */
export interface GroupMembership {
  /** For the consumer that joins. The brokers choose the first one that all members know. */
  readonly assigners: PartitionAssigner[];
  /** Takes members out of the group whose process has ended. To be called before the first join. */
  readonly removeEnded: () => Promise<void>;
  /**
   * To be called with each assignment.
   * @returns whether partitions that were assigned before too belonged to no other member meanwhile
   */
  readonly join: (assigned: readonly TopicPartition[]) => boolean;
}

/** A rejoin waits no longer: other members wait for it, and both their sessions and this one's go on. In milliseconds. */
const prepareLimitMs = 2500;

/**
 * @param prepare done before each rejoin
 * @param isCoPartitioned how earlier versions of this program assign this group: they may be members of it too during an update
 */
export function createGroupMembership(
  { groupId, isCoPartitioned, logger }: { groupId: string; isCoPartitioned: boolean; logger: Logger },
  prepare: () => Promise<void>,
): GroupMembership {
  const identity = ownIdentity();
  let cluster: Cluster | null = null;
  let claim: Claim | null = null;
  const memberData = () => ({ identity, claim });

  const boundedPrepare = async () => {
    await withTimeout(prepare(), prepareLimitMs, 'the work in flight takes longer').catch(() => undefined);
  };

  const sticky: PartitionAssigner = (context) => {
    ({ cluster } = context);
    beforeRejoin(cluster, boundedPrepare);
    return stickyAssigner(context);
  };

  const former = isCoPartitioned ? coPartitioning : PartitionAssigners.roundRobin;
  return {
    assigners: [withMemberData(sticky, memberData), withMemberData(former, memberData)],
    removeEnded: async () => {
      if (cluster !== null) {
        await evictDeadMembers({ cluster, groupId }, identity, logger);
      }
    },
    join: (assigned) => {
      const generation = (cluster && generationOf(cluster)) ?? 0;
      const before = claim?.generation ?? generation;
      claim = { generation, partitions: [...new Set(assigned.map(({ partition }) => partition))] };
      return generation - before <= 1 && generation >= before;
    },
  };
}
