import { PartitionAssigners, type Broker, type Cluster, type PartitionAssigner } from 'kafkajs';
import { z } from 'zod';

import { withTimeout } from '../../concurrency/withTimeout.js';
import { messageOf } from '../../core/errors.js';
import type { Logger } from '../../core/logger.js';
import { ownIdentity, hasEnded, type ProcessIdentity } from '../../runtime/processIdentity.js';
import type { TopicPartition } from '../client/topicPartition.js';
import { beforeRejoin, generationOf, type Departure } from '../kafkajs-internals/membership.js';
import { coPartitioning } from './coPartitioning.js';
import { withMemberData, type Claim, readMemberData } from './memberData.js';
import { stickyAssigner } from './stickyAssigner.js';

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

/** Requests of kafkajs's broker connections that kafkajs's types lack. */
interface Coordinator extends Broker {
  readonly leaveGroup: (member: { groupId: string; memberId: string }) => Promise<unknown>;
}

/** The broker returns the data of members only if the group is not rebalancing. */
const description = z.object({
  groups: z.tuple([
    z.object({
      members: z.array(z.object({ memberId: z.string(), memberMetadata: z.instanceof(Buffer) })),
    }),
  ]),
});

/**
 * Removes group members whose processes have ended without leaving the group. The next member that joins gets the
 * partitions of the removed members at once. If the removal fails, the broker retains a dead member until its session
 * expires. The removal must run before this process joins the group. The broker answers requests of a connection in
 * order, and a join only after all members have joined.
 *
 * A member is removed only if its process ran on this machine and has ended.
 * @param own the identity of this process; if the identity is null, no member is removed
 */
async function evictDeadMembers(
  group: { readonly cluster: Cluster; readonly groupId: string },
  own: ProcessIdentity | null,
  logger: Logger,
): Promise<void> {
  if (own === null) {
    return;
  }
  const { cluster, groupId } = group;
  try {
    const members = await removeEnded(cluster, groupId, own);
    if (members > 0) {
      logger.info({ group: groupId, members }, 'took over the partitions of ended processes');
    }
  } catch (error) {
    logger.debug(
      { group: groupId, error: messageOf(error) },
      'this process could not search for group members whose processes have ended',
    );
  }
}

/**
 * Removes group members of ended processes.
 * @returns the number of removed members
 */
async function removeEnded(cluster: Cluster, groupId: string, own: ProcessIdentity): Promise<number> {
  const coordinator = await cluster.findGroupCoordinator({ groupId });
  if (!canRemove(coordinator)) {
    throw new Error('this version of kafkajs cannot remove a member from its group');
  }
  const { groups } = description.parse(await coordinator.describeGroups({ groupIds: [groupId] }));
  const ended = groups[0].members.filter(({ memberMetadata }) => {
    const { identity } = readMemberData(memberMetadata);
    return identity !== null && hasEnded(identity, own);
  });
  for (const { memberId } of ended) {
    await coordinator.leaveGroup({ groupId, memberId });
  }
  return ended.length;
}

function canRemove(broker: Broker): broker is Coordinator {
  return 'leaveGroup' in broker;
}
