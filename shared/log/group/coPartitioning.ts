import { AssignerProtocol, type GroupMember, type PartitionAssigner } from 'kafkajs';

const version = 0;
const noUserData = Buffer.alloc(0);

/**
 * An assigner that assigns all partitions with the same number to one member, in all topics. So one process gets all
 * records of a key.
 * @param name the name by which the brokers know the assigner
 * @param numbersOf the partition numbers of each member, from all numbers
 */
export function coPartitioningBy(
  name: string,
  numbersOf: (
    numbers: readonly number[],
    members: readonly GroupMember[],
  ) => ReadonlyMap<string, readonly number[]>,
): PartitionAssigner {
  return ({ cluster }) => ({
    name,
    version,
    assign: ({ members, topics }) => {
      const partitions = topics.flatMap((topic) =>
        cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => ({ topic, partitionId })),
      );
      const all = [...new Set(partitions.map(({ partitionId }) => partitionId))];
      return Promise.resolve(
        [...numbersOf(all, members)].map(([memberId, numbers]) => {
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
}

/**
 * The assigner of earlier versions. It ignores earlier assignments, so a new or lost member moves most partitions.
 */
export const coPartitioning = coPartitioningBy('CoPartitioning', (numbers, members) => {
  const sorted = members.map(({ memberId }) => memberId).sort();
  return new Map(
    sorted.map((memberId, index) => [memberId, numbers.filter((number) => number % sorted.length === index)]),
  );
});
