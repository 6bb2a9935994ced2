import type { Broker, Cluster } from 'kafkajs';
import { z } from 'zod';

import { messageOf } from '../../core/errors.js';
import type { Logger } from '../../core/logger.js';
import { hasEnded, type ProcessIdentity } from '../../runtime/processIdentity.js';
import { readMemberData } from './memberData.js';

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
export async function evictDeadMembers(
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
