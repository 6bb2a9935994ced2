import { AssignerProtocol, type PartitionAssigner } from 'kafkajs';

import { readMemberData } from './memberData.js';
import { assignUnits } from './stickyAssignment.js';

const name = 'PostriderSticky';
const version = 0;
const noUserData = Buffer.alloc(0);

/**
 * Assigns all partitions with the same number to one member, in all topics. So one process gets all records of a key. A
 * partition moves to another member only if the members' shares would otherwise differ by more than one.
 */
export const stickyAssigner: PartitionAssigner = ({ cluster }) => ({
  name,
  version,
  assign: ({ members, topics }) => {
    const partitions = topics.flatMap((topic) =>
      cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => ({ topic, partitionId })),
    );
    const claims = members.map(({ memberId, memberMetadata }) => {
      const { claim } = readMemberData(memberMetadata);
      return { memberId, generation: claim?.generation ?? 0, units: claim?.partitions ?? [] };
    });
    const units = assignUnits(
      partitions.map(({ partitionId }) => partitionId),
      claims,
    );
    return Promise.resolve(
      [...units].map(([memberId, numbers]) => {
        const assignment: Record<string, number[]> = {};
        for (const { topic, partitionId } of partitions) {
          if (numbers.includes(partitionId)) {
            (assignment[topic] ??= []).push(partitionId);
          }
        }
        return {
          memberId,
          memberAssignment: AssignerProtocol.MemberAssignment.encode({
            version,
            assignment,
            userData: noUserData,
          }),
        };
      }),
    );
  },
  protocol: ({ topics }) => ({
    name,
    metadata: AssignerProtocol.MemberMetadata.encode({ version, topics, userData: noUserData }),
  }),
});
