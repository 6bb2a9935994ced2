import type { Admin, Kafka } from 'kafkajs';

import { fullTopicName, type TopicName } from '../topics/names.js';
import { decodeTakenUp, type TakenUpOffset } from './takenUp.js';

/** The position of a consumer group in one partition. */
export interface GroupPosition {
  readonly committed: number;
  /** Null if the offset was committed without it, by an earlier version or an operator. */
  readonly takenUp: TakenUpOffset | null;
}

/** Access to the committed offsets of consumer groups. */
export interface GroupOffsets {
  /** Returns the committed offset of each partition; null if the group has committed none, or Kafka has expired it. */
  committed: (groupId: string, topic: TopicName) => Promise<readonly (number | null)[]>;
  /** Returns the position of the group in each partition; null if the group has committed none. */
  positions: (groupId: string, topic: TopicName) => Promise<readonly (GroupPosition | null)[]>;
  /**
   * Returns the log start offset of each partition that has deleted records before the group read them. A partition
   * whose committed offset has expired is included, because records may have been deleted too.
   */
  deletedUnread: (groupId: string, topic: TopicName) => Promise<ReadonlyMap<number, number>>;
  /**
   * Commits offsets for a group that has no members.
   * @throws if the consumer group has members
   */
  set: (groupId: string, topic: TopicName, offsets: readonly number[]) => Promise<void>;
  /**
   * Returns the first offset of each partition whose record was appended at or after `moment`. Without a record after
   * `moment`, the result is the end offset.
   */
  at: (topic: TopicName, moment: Date) => Promise<readonly number[]>;
  /**
   * Deletes consumer groups with their committed offsets.
   * @param isEnded whether a group id belongs to a group that is no longer needed
   * @returns whether all ended groups are deleted. Kafka does not delete a group with members.
   */
  forget: (isEnded: (groupId: string) => boolean) => Promise<boolean>;
  /** Returns the number of members of each group. An unknown group has 0 members. */
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
  const readPositions: GroupOffsets['positions'] = async (groupId, topic) => {
    const [found] = await admin.fetchOffsets({ groupId, topics: [fullTopicName(prefix, topic)] });
    const positions: (GroupPosition | null)[] = [];
    for (const { partition, offset, metadata } of found?.partitions ?? []) {
      const committed = Number(offset);
      positions[partition] = committed < 0 ? null : { committed, takenUp: decodeTakenUp(metadata) };
    }
    return positions;
  };

  const readCommitted: GroupOffsets['committed'] = async (groupId, topic) => {
    const positions = await readPositions(groupId, topic);
    return positions.map((position) => position?.committed ?? null);
  };

  return {
    committed: readCommitted,
    positions: readPositions,
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
      // Each group is deleted with its own request. If brokers reject one group of a request, kafkajs reports no result
      // for its other groups.
      const deletions = ended.map((groupId) => admin.deleteGroups([groupId]));
      return (await Promise.allSettled(deletions)).every(({ status }) => status === 'fulfilled');
    },
    members: async (groupIds) => {
      const { groups } = await admin.describeGroups([...groupIds]);
      return new Map(groups.map(({ groupId, members }) => [groupId, members.length]));
    },
  };
}

/** Whether a consumer group has committed the given offset or a lower one. `topic` is the full name of the topic. */
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
