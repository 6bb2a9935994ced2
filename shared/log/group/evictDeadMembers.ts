import type { Broker, Cluster } from 'kafkajs';
import { z } from 'zod';

import { messageOf } from '../../core/errors.js';
import type { Logger } from '../../core/logger.js';
import { hasEnded, type ProcessIdentity } from '../../runtime/processIdentity.js';
import { readMemberData } from './memberData.js';

/** What kafkajs's brokers can do and its types do not say. */
interface Coordinator extends Broker {
  readonly leaveGroup: (member: { groupId: string; memberId: string }) => Promise<unknown>;
}

/** Only of a group that is not just handing partitions out the broker tells what its members have said of themselves. */
const description = z.object({
  groups: z.tuple([
    z.object({
      members: z.array(z.object({ memberId: z.string(), memberMetadata: z.instanceof(Buffer) })),
    }),
  ]),
});

/**
 * Takes those members out of the group whose process has ended without a word. Whoever joins next has their partitions at
 * once; the broker would keep them for the rest of a session, and does where this fails. To be done before this process
 * joins: the broker answers the requests of a connection in their order, and a join only once all members are there.
 *
 * A process that lives is never taken for one that has ended, and neither is one of elsewhere.
 * @param own which process this is; where it is null, nobody is taken out
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
      logger.info({ group: groupId, members }, 'took the partitions of processes that have ended');
    }
  } catch (error) {
    logger.debug({ group: groupId, error: messageOf(error) }, 'ended members were not looked for');
  }
}

/** @returns how many there were */
async function removeEnded(cluster: Cluster, groupId: string, own: ProcessIdentity): Promise<number> {
  const coordinator = await cluster.findGroupCoordinator({ groupId });
  if (!canRemove(coordinator)) {
    throw new Error('this version of kafkajs cannot take a member out of its group');
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
