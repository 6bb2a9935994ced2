import { expect } from 'chai';
import fc from 'fast-check';
import { AssignerProtocol, type Cluster, type PartitionAssigner } from 'kafkajs';

import { readMemberData, withMemberData, type Claim } from '../../../../shared/log/group/memberData.js';
import { stickyAssigner } from '../../../../shared/log/group/stickyAssigner.js';
import type { ProcessIdentity } from '../../../../shared/runtime/processIdentity.js';
import { itHolds } from '../../../support/itHolds.js';

const { MemberAssignment, MemberMetadata } = AssignerProtocol;

const identity: ProcessIdentity = { place: 'kernel namespace', pid: 7, startedAt: '11' };
const partitionsOf: Readonly<Record<string, number>> = { events: 6, deliveries: 6, webhooks: 2 };
const topics = Object.keys(partitionsOf);

/** The part of a cluster that the assigner uses. */
const cluster = {
  findTopicPartitionMetadata: (topic: string) =>
    Array.from({ length: partitionsOf[topic] ?? 0 }, (_, partitionId) => ({
      isr: [],
      leader: 1,
      partitionErrorCode: 0,
      partitionId,
      replicas: [],
    })),
} as Pick<Cluster, 'findTopicPartitionMetadata'> as Cluster;

const contextOf = (groupId: string): Parameters<PartitionAssigner>[0] => ({
  cluster,
  groupId,
  logger: {
    info: ignore,
    error: ignore,
    warn: ignore,
    debug: ignore,
    namespace: () => contextOf('').logger,
    setLogLevel: ignore,
  },
});

function ignore(): void {
  return undefined;
}

const metadataOf = (userData: Buffer) => MemberMetadata.encode({ version: 0, topics, userData });

/** The assignment of each member, by its id. */
async function assign(userData: Readonly<Record<string, Buffer>>) {
  const members = Object.entries(userData).map(([memberId, data]) => ({
    memberId,
    memberMetadata: metadataOf(data),
  }));
  const assigned = await stickyAssigner(contextOf('group')).assign({ members, topics });
  return new Map(
    assigned.map(({ memberId, memberAssignment }) => [
      memberId,
      MemberAssignment.decode(memberAssignment)?.assignment ?? {},
    ]),
  );
}

const dataOf = (claim: object | null) => Buffer.from(JSON.stringify({ ...identity, claim }));

describe('the sticky assigner', () => {
  it('gives the partitions with one number of all topics to one member, whatever the members claim', async () => {
    const claim = fc.option(fc.record({ generation: fc.nat(9), partitions: fc.array(fc.nat(9)) }));
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.string({ minLength: 1 }), claim, { minKeys: 1, maxKeys: 7 }),
        async (claims) => {
          const userData = Object.fromEntries(
            Object.entries(claims).map(([name, one]) => [name, dataOf(one)]),
          );
          const assigned = [...(await assign(userData)).values()];
          const ownersOf = (partition: number) =>
            topics.flatMap((topic) =>
              assigned.flatMap((own, index) => (own[topic]?.includes(partition) === true ? [index] : [])),
            );
          const owners = [0, 1, 2, 3, 4, 5].map((partition) => new Set(ownersOf(partition)).size);
          expect(owners).to.deep.equal([1, 1, 1, 1, 1, 1]);
        },
      ),
    );
  });

  itHolds(
    'assigns every partition, whatever bytes the members send',
    [fc.array(fc.uint8Array({ maxLength: 80 }), { minLength: 1, maxLength: 5 })],
    async (data) => {
      const assigned = await assign(
        Object.fromEntries(data.map((bytes, index) => [`m${index}`, Buffer.from(bytes)])),
      );
      const count = [...assigned.values()].reduce((sum, own) => sum + Object.values(own).flat().length, 0);
      expect(count).to.equal(14);
    },
  );

  it('leaves members their partitions', async () => {
    const assigned = await assign({
      a: dataOf({ generation: 3, partitions: [1, 4] }),
      b: dataOf({ generation: 3, partitions: [0, 2] }),
      c: dataOf(null),
    });
    expect([
      assigned.get('a')?.['events'],
      assigned.get('b')?.['events'],
      assigned.get('c')?.['events'],
    ]).to.deep.equal([
      [1, 4],
      [0, 2],
      [3, 5],
    ]);
  });
});

describe('the data that a member sends to its group', () => {
  const dataWith = (claim: Claim | null) => {
    const assigner = withMemberData(stickyAssigner, () => ({ identity, claim }));
    return assigner(contextOf('group')).protocol({ topics }).metadata;
  };

  it('contains its process and its previous partitions', () => {
    const claim = { generation: 5, partitions: [2, 0] };
    expect(readMemberData(dataWith(claim))).to.deep.equal({ identity, claim });
  });

  it('contains only its process before its first assignment', () => {
    expect(readMemberData(dataWith(null))).to.deep.equal({ identity, claim: null });
  });

  it('contains only its process if an earlier version wrote it', () => {
    const metadata = metadataOf(Buffer.from(JSON.stringify(identity)));
    expect(readMemberData(metadata)).to.deep.equal({ identity, claim: null });
  });

  itHolds('contains no partitions if its bytes are damaged', [fc.uint8Array({ maxLength: 60 })], (bytes) => {
    expect(readMemberData(Buffer.from(bytes)).claim).to.equal(null);
  });
});
