import {
  AssignerProtocol,
  type Broker,
  type Cluster,
  type GroupState,
  type PartitionAssigner,
} from 'kafkajs';
import { z } from 'zod';

import { messageOf } from '../errors.js';
import type { Logger } from '../logger.js';
import { hasEnded, parseIdentity, type ProcessIdentity } from '../processIdentity.js';

const { MemberMetadata } = AssignerProtocol;

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

export interface EndedMembers {
  /** For the consumer that joins the group: it tells the group which process it is. */
  readonly assigner: PartitionAssigner;
  /**
   * Takes those members out of the group whose process has ended without a word. Whoever joins next has their partitions at
   * once; the broker would keep them for the rest of a session, and does where this fails. To be done before this process
   * joins: the broker answers the requests of a connection in their order, and a join only once all members are there.
   */
  readonly remove: () => Promise<void>;
}

/**
 * Knows of the members of a group which of them have ended, on this machine and of this service. A process that lives is
 * never taken for one that has ended, and neither is one of elsewhere.
 * @param assigner how the group hands partitions out
 * @param own which process this is; where it is null, nothing is told and nobody is taken out
 */
export function createEndedMembers(
  assigner: PartitionAssigner,
  own: ProcessIdentity | null,
  logger: Logger,
): EndedMembers {
  if (own === null) {
    return { assigner, remove: () => Promise.resolve() };
  }
  const userData = Buffer.from(JSON.stringify(own));
  const contexts: { readonly cluster: Cluster; readonly groupId: string }[] = [];
  return {
    assigner: (context) => {
      contexts.push(context);
      const inner = assigner(context);
      return { ...inner, protocol: (subscription) => withUserData(inner.protocol(subscription), userData) };
    },
    remove: async () => {
      for (const { cluster, groupId } of contexts) {
        try {
          const members = await removeEnded(cluster, groupId, own);
          if (members > 0) {
            logger.info({ group: groupId, members }, 'took the partitions of processes that have ended');
          }
        } catch (error) {
          logger.debug({ group: groupId, error: messageOf(error) }, 'ended members were not looked for');
        }
      }
    },
  };
}

function withUserData({ name, metadata }: GroupState, userData: Buffer): GroupState {
  const told = MemberMetadata.decode(metadata);
  return told === null
    ? { name, metadata }
    : { name, metadata: MemberMetadata.encode({ ...told, userData }) };
}

/** @returns how many there were */
async function removeEnded(cluster: Cluster, groupId: string, own: ProcessIdentity): Promise<number> {
  const coordinator = await cluster.findGroupCoordinator({ groupId });
  if (!canRemove(coordinator)) {
    throw new Error('this version of kafkajs cannot take a member out of its group');
  }
  const { groups } = description.parse(await coordinator.describeGroups({ groupIds: [groupId] }));
  const ended = groups[0].members.filter(({ memberMetadata }) => {
    const identity = identityIn(memberMetadata);
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

function identityIn(metadata: Buffer): ProcessIdentity | null {
  try {
    return parseIdentity(MemberMetadata.decode(metadata)?.userData.toString() ?? '');
  } catch {
    // Of a member of another kind, or a group in which partitions are being handed out.
    return null;
  }
}
