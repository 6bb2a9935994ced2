import type { Admin, Kafka } from 'kafkajs';

import { fullTopicName, type TopicName } from '../topics/names.js';

/** Where consumer groups go on in a topic. */
export interface GroupOffsets {
  /** By partition; null where the group has committed nothing, or Kafka has forgotten it. */
  committed: (groupId: string, topic: TopicName) => Promise<readonly (number | null)[]>;
  /**
   * Where the log has deleted records that the group has not read, or where it cannot be told, since Kafka has forgotten what the
   * group had committed: by partition, the first offset that is left.
   */
  deletedUnread: (groupId: string, topic: TopicName) => Promise<ReadonlyMap<number, number>>;
  /**
   * Commits for a group that has no members.
   * @throws where it has some
   */
  set: (groupId: string, topic: TopicName, offsets: readonly number[]) => Promise<void>;
  /** By partition, the first offset whose record was appended at that moment or later, or the end. */
  at: (topic: TopicName, moment: Date) => Promise<readonly number[]>;
  /**
   * Deletes groups, with what they have committed.
   * @param isEnded whether nobody needs the group of this name any more
   * @returns whether all of them are gone: one that still has members is not
   */
  forget: (isEnded: (groupId: string) => boolean) => Promise<boolean>;
  /** How many members each of these groups has: 0 also if Kafka does not know the group. */
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
      // One by one: the brokers refuse one that has members, and kafkajs then tells of no other.
      const deletions = ended.map((groupId) => admin.deleteGroups([groupId]));
      return (await Promise.allSettled(deletions)).every(({ status }) => status === 'fulfilled');
    },
    members: async (groupIds) => {
      const { groups } = await admin.describeGroups([...groupIds]);
      return new Map(groups.map(({ groupId, members }) => [groupId, members.length]));
    },
  };
}

/** Whether a group has committed this offset of a topic, by its full name, or a lower one. */
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
