import { AssignerProtocol, type PartitionAssigner } from 'kafkajs';
import { z } from 'zod';

import { parseIdentity, type ProcessIdentity } from '../../runtime/processIdentity.js';

const { MemberMetadata } = AssignerProtocol;

const claimSchema = z.object({
  /** The generation of the group in which the member had these partitions. */
  generation: z.int().nonnegative(),
  /** Numbers of partitions, whatever their topic. */
  partitions: z.array(z.int().nonnegative()).max(10_000),
});
const schema = z.object({ claim: claimSchema });

/** What a member of a group had before a rebalance. */
export type Claim = z.infer<typeof claimSchema>;

/** What a member tells its group when it joins. */
export interface MemberData {
  /** Null if the system does not identify processes. */
  readonly identity: ProcessIdentity | null;
  /** Null before its first assignment. */
  readonly claim: Claim | null;
}

/** Also the format of earlier versions of this program, which know of the identity alone. */
function encodeMemberData({ identity, claim }: MemberData): Buffer {
  return Buffer.from(JSON.stringify({ ...identity, ...(claim === null ? {} : { claim }) }));
}

/** Reads what a member has told. Nothing is known of a member of another program, or of one whose data is damaged. */
export function readMemberData(metadata: Buffer): MemberData {
  const text = userDataIn(metadata);
  return { identity: parseIdentity(text), claim: parseClaim(text) };
}

/** Has an assigner's members tell their group what `read` gives at that moment. */
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
