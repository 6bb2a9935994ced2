import { AssignerProtocol, type PartitionAssigner } from 'kafkajs';

const name = 'CoPartitioning';
const version = 0;
const noUserData = Buffer.alloc(0);

/**
 * Assigns all partitions with the same number to one member, in all topics. So one process gets all records of a key.
 * The assignment ignores earlier assignments, so a new or lost member moves most partitions.
 */
export const coPartitioning: PartitionAssigner = ({ cluster }) => ({
  name,
  version,
  assign: ({ members, topics }) => {
    const sorted = members.map(({ memberId }) => memberId).sort();
    const partitions = topics.flatMap((topic) =>
      cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => ({ topic, partitionId })),
    );
    return Promise.resolve(
      sorted.map((memberId, index) => {
        const assignment: Record<string, number[]> = {};
        for (const { topic, partitionId } of partitions) {
          if (partitionId % sorted.length === index) {
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
