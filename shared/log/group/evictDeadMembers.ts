import type { Broker, Cluster } from 'kafkajs';
import { z } from 'zod';

import { messageOf } from '../../core/errors.js';
import type { Logger } from '../../core/logger.js';
import { hasEnded, type ProcessIdentity } from '../../runtime/processIdentity.js';
import { readMemberData } from './memberData.js';

/** Requests of kafkajs's broker connections that its types lack. */
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
 * Removes the group's members whose processes have ended without leaving. The next member to join gets their partitions
 * at once. If this fails, the broker keeps them until the session expires. It must run before this process joins: the
 * broker answers requests of a connection in order, and a join only once all members have joined.
 *
 * The check never takes a running process, or a process on another machine, for an ended one.
 * @param own the identity of this process; if it is null, no member is removed
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

/** @returns the number of removed members */
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
