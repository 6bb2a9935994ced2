import type { Admin, Kafka } from 'kafkajs';

import { fullTopicName, type TopicName } from '../topics/names.js';

/** Access to the committed offsets of consumer groups. */
export interface GroupOffsets {
  /** By partition. Null if the group has committed no offset, or Kafka has expired it. */
  committed: (groupId: string, topic: TopicName) => Promise<readonly (number | null)[]>;
  /**
   * By partition, the log start offset if the log has deleted records that the group has not read. It is also reported
   * if the committed offsets have expired, because the two cases cannot be told apart.
   */
  deletedUnread: (groupId: string, topic: TopicName) => Promise<ReadonlyMap<number, number>>;
  /**
   * Commits offsets for a group that has no members.
   * @throws if the group has members
   */
  set: (groupId: string, topic: TopicName, offsets: readonly number[]) => Promise<void>;
  /**
   * By partition, the first offset whose record was appended at or after that moment. The end offset if there is none.
   */
  at: (topic: TopicName, moment: Date) => Promise<readonly number[]>;
  /**
   * Deletes groups with their committed offsets.
   * @param isEnded whether the group of this name is no longer needed
   * @returns whether all groups are deleted. A group with members is not.
   */
  forget: (isEnded: (groupId: string) => boolean) => Promise<boolean>;
  /** The number of members of each group; 0 also if Kafka does not know the group. */
  members: (groupIds: readonly string[]) => Promise<ReadonlyMap<string, number>>;
}

export function createGroupOffsets(
  admin: Pick<
    Admin,
    | 'fetchOffsets'
    | 'setOffsets'
    | 'fetchTopicOffsets'
    | 'fetchTopicOffsetsByTimestamp'
    | 'listGroups'
    | 'deleteGroups'
    | 'describeGroups'
  >,
  prefix: string,
): GroupOffsets {
  const readCommitted: GroupOffsets['committed'] = async (groupId, topic) => {
    const [found] = await admin.fetchOffsets({ groupId, topics: [fullTopicName(prefix, topic)] });
    const offsets: (number | null)[] = [];
    for (const { partition, offset } of found?.partitions ?? []) {
      offsets[partition] = Number(offset) < 0 ? null : Number(offset);
    }
    return offsets;
  };

  return {
    committed: readCommitted,
    deletedUnread: async (groupId, topic) => {
      const committed = await readCommitted(groupId, topic);
      const beginnings = (await admin.fetchTopicOffsets(fullTopicName(prefix, topic))).map(
        ({ partition, low }) => [partition, Number(low)] as const,
      );
      return new Map(beginnings.filter(([partition, low]) => low > (committed[partition] ?? 0)));
    },
    set: (groupId, topic, offsets) =>
      admin.setOffsets({
        groupId,
        topic: fullTopicName(prefix, topic),
        partitions: offsets.map((offset, partition) => ({ partition, offset: String(offset) })),
      }),
    at: async (topic, moment) => {
      const found = await admin.fetchTopicOffsetsByTimestamp(fullTopicName(prefix, topic), moment.getTime());
      const offsets: number[] = [];
      for (const { partition, offset } of found) {
        offsets[partition] = Number(offset);
      }
      return offsets;
    },
    forget: async (isEnded) => {
      const { groups } = await admin.listGroups();
      const ended = groups.map(({ groupId }) => groupId).filter(isEnded);
      // One request for each group. The brokers reject a group with members, and kafkajs then reports no result for the
      // others.
      const deletions = ended.map((groupId) => admin.deleteGroups([groupId]));
      return (await Promise.allSettled(deletions)).every(({ status }) => status === 'fulfilled');
    },
    members: async (groupIds) => {
      const { groups } = await admin.describeGroups([...groupIds]);
      return new Map(groups.map(({ groupId, members }) => [groupId, members.length]));
    },
  };
}

/** Whether a group has committed this offset of a topic (full name), or a lower one. */
export async function isCommitted(
  kafka: Kafka,
  groupId: string,
  {
    topic,
    partition,
    offset,
  }: { readonly topic: string; readonly partition: number; readonly offset: number },
): Promise<boolean> {
  const admin = kafka.admin();
  try {
    await admin.connect();
    const [found] = await admin.fetchOffsets({ groupId, topics: [topic] });
    const committed = Number(found?.partitions.find((one) => one.partition === partition)?.offset ?? -1);
    return committed >= 0 && committed <= offset;
  } finally {
    await admin.disconnect();
  }
}
