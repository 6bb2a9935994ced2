import { AssignerProtocol, type PartitionAssigner } from 'kafkajs';

import { readMemberData } from './memberData.js';
import { assignUnits } from './stickyAssignment.js';

const name = 'PostriderSticky';
const version = 0;
const noUserData = Buffer.alloc(0);

/**
 * Gives all partitions of one number, whatever their topic, to one member, so that records with the same key meet in one process. A
 * partition moves only if the members' shares would differ by more than one otherwise.
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
