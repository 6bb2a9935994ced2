import { PartitionAssigners, type Cluster, type PartitionAssigner } from 'kafkajs';

import { withTimeout } from '../../concurrency/withTimeout.js';
import type { Logger } from '../../core/logger.js';
import { ownIdentity } from '../../runtime/processIdentity.js';
import { coPartitioning } from './coPartitioning.js';
import { evictDeadMembers } from './evictDeadMembers.js';
import { beforeRejoin, generationOf, type Departure } from '../kafkajs-internals/membership.js';
import { withMemberData, type Claim } from './memberData.js';
import { stickyAssigner } from './stickyAssigner.js';
import type { TopicPartition } from '../client/topicPartition.js';

/**
 * The membership of this process in one consumer group: the member data of its join requests, and the hand-over of
 * partitions.
 */
export interface GroupMembership {
  /** The partition assigners for the consumer. The brokers select the first assigner that all members support. */
  readonly assigners: PartitionAssigner[];
  /** Removes members whose processes have ended from the group. `removeEnded` must be called before the first join. */
  readonly removeEnded: () => Promise<void>;
  /**
   * Records an assignment of partitions. `join` must be called with each assignment.
   * @returns whether no other member has had the retained partitions since the last assignment
   */
  readonly join: (assigned: readonly TopicPartition[]) => boolean;
}

/**
 * The longest delay of a rejoin, in milliseconds. The other members of the group wait for the rejoin, and no session
 * may expire meanwhile.
 */
const prepareLimitMs = 2500;

/**
 * @param prepare the preparation that runs before each rejoin
 * @param onRemoved called when the group has removed this process
 * @param isCoPartitioned whether earlier versions of this program co-partition the group. During an update, earlier
 *   versions may be members
 */
export function createGroupMembership(
  { groupId, isCoPartitioned, logger }: { groupId: string; isCoPartitioned: boolean; logger: Logger },
  { prepare, onRemoved }: Departure,
): GroupMembership {
  const identity = ownIdentity();
  let cluster: Cluster | null = null;
  let claim: Claim | null = null;
  const memberData = () => ({ identity, claim });

  const boundedPrepare = async () => {
    await withTimeout(prepare(), prepareLimitMs, 'the work in flight takes too long').catch(() => undefined);
  };

  const sticky: PartitionAssigner = (context) => {
    ({ cluster } = context);
    beforeRejoin(cluster, { prepare: boundedPrepare, onRemoved });
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
