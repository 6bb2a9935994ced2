import { AssignerProtocol, type PartitionAssigner } from 'kafkajs';
import { z } from 'zod';

import { parseIdentity, type ProcessIdentity } from '../../runtime/processIdentity.js';

const { MemberMetadata } = AssignerProtocol;

const claimSchema = z.object({
  /** The generation of the consumer group in which the member had the claimed partitions. */
  generation: z.int().nonnegative(),
  /** The numbers of the member's partitions, which are the same in all topics. */
  partitions: z.array(z.int().nonnegative()).max(10_000),
});
const schema = z.object({ claim: claimSchema });

/** The partitions of a member before a rebalance. */
export type Claim = z.infer<typeof claimSchema>;

/** The data that a group member sends in its join request. */
export interface MemberData {
  /** The identity of the member's process; null if the operating system does not identify processes. */
  readonly identity: ProcessIdentity | null;
  /** The partitions of the member before the rebalance; null before the member's first assignment. */
  readonly claim: Claim | null;
}

/**
 * The bytes of a member's data. The format of the member data is compatible with earlier versions of this program,
 * which read only the identity.
 */
function encodeMemberData({ identity, claim }: MemberData): Buffer {
  return Buffer.from(JSON.stringify({ ...identity, ...(claim === null ? {} : { claim }) }));
}

/**
 * Reads the data of a group member. The identity and the claim are null for a member of another program or with damaged
 * data.
 */
export function readMemberData(metadata: Buffer): MemberData {
  const text = userDataIn(metadata);
  return { identity: parseIdentity(text), claim: parseClaim(text) };
}

/** A partition assigner with which each member sends the current result of `read` to its group. */
export function withMemberData(assigner: PartitionAssigner, read: () => MemberData): PartitionAssigner {
  return (context) => {
    const inner = assigner(context);
    return {
      ...inner,
      protocol: (subscription) => {
        const { name, metadata } = inner.protocol(subscription);
        const told = MemberMetadata.decode(metadata);
        const userData = encodeMemberData(read());
        return told === null
          ? { name, metadata }
          : { name, metadata: MemberMetadata.encode({ ...told, userData }) };
      },
    };
  };
}

function userDataIn(metadata: Buffer): string {
  try {
    return MemberMetadata.decode(metadata)?.userData.toString() ?? '';
  } catch {
    return '';
  }
}

function parseClaim(text: string): Claim | null {
  try {
    return schema.safeParse(JSON.parse(text)).data?.claim ?? null;
  } catch {
    return null;
  }
}
