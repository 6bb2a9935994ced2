import type { Admin } from 'kafkajs';

import type { GroupDefinition } from '../topics/groups.js';
import { fullTopicName } from '../topics/names.js';
import { isLookupGroup } from '../client/lookupConsumer.js';
import { nameOfRecordOffset, type RecordOffset, type OffsetTimestamps } from '../client/offsetTimestamps.js';

/** The progress of a group in one partition. */
export interface PartitionProgress {
  /** The full name of the topic. */
  readonly topic: string;
  readonly partition: number;
  readonly end: number;
  /**
   * The committed offset, at which the group continues; null if the group has committed no offset, or if Kafka has
   * expired it.
   */
  readonly committed: number | null;
  /**
   * The number of records from the committed offset to the end. Without a committed offset, the lag is the number of
   * all records in the partition.
   */
  readonly lag: number;
  /**
   * The append time of the first unread record; null if no record is unread, or if the brokers did not answer in time.
   */
  readonly oldest: Date | null;
}

export interface GroupLag {
  readonly group: string;
  /**
   * `unknown` means that Kafka has no members and no committed offsets of the group. The group has never committed, or
   * its offsets have expired.
   */
  readonly state: 'running' | 'stopped' | 'unknown';
  readonly members: number;
  readonly partitions: readonly PartitionProgress[];
}

export interface GroupLagDependencies {
  readonly admin: Pick<
    Admin,
    'listGroups' | 'listTopics' | 'describeGroups' | 'fetchOffsets' | 'fetchTopicOffsets'
  >;
  readonly times: OffsetTimestamps;
  readonly prefix: string;
}

/** The members and committed offsets of a consumer group in Kafka. */
interface KnownGroup {
  readonly group: string;
  readonly members: number;
  /** The committed offsets of the group by full topic name and partition. */
  readonly committed: ReadonlyMap<string, ReadonlyMap<number, number>>;
  readonly topics: readonly string[];
}

interface Bounds {
  readonly low: number;
  readonly high: number;
}

/**
 * Reads the lag of every consumer group of the service.
 * @param definitionsOf returns the expected groups, given the known groups with the service's prefix
 */
export async function readGroupLags(
  { admin, times, prefix }: GroupLagDependencies,
  definitionsOf: (known: readonly string[]) => readonly GroupDefinition[],
): Promise<readonly GroupLag[]> {
  const { groups: listed } = await admin.listGroups();
  const names = listed
    .map(({ groupId }) => groupId)
    .filter((groupId) => groupId.startsWith(prefix) && !isLookupGroup(prefix, groupId));
  const known = await Promise.all(
    definitionsOf(names).map((definition) => readGroup(admin, definition, prefix)),
  );
  const existing = new Set(await admin.listTopics());
  const bounds = await readBounds(
    admin,
    known.flatMap(({ topics }) => topics).filter((topic) => existing.has(topic)),
  );
  const states = known.map((group) => ({ ...stateOf(group), partitions: partitionsOf(group, bounds) }));
  const appended = await times(states.flatMap(({ partitions }) => partitions.flatMap(oldestOf)));
  return states.map(({ partitions, ...state }) => ({
    ...state,
    partitions: partitions.map(({ beginning, ...partition }) => {
      const at = oldestOf({ beginning, ...partition }).map((place) =>
        appended.get(nameOfRecordOffset(place)),
      )[0];
      return { ...partition, oldest: at === undefined ? null : new Date(at) };
    }),
  }));
}

async function readGroup(
  admin: GroupLagDependencies['admin'],
  { groupId, topics }: GroupDefinition,
  prefix: string,
): Promise<KnownGroup> {
  const [described, offsets] = await Promise.all([
    admin.describeGroups([groupId]),
    admin.fetchOffsets({ groupId }),
  ]);
  const committed = new Map(
    offsets.map(({ topic, partitions }) => [
      topic,
      new Map(
        partitions
          .map(({ partition, offset }) => [partition, Number(offset)] as const)
          .filter(([, offset]) => offset >= 0),
      ),
    ]),
  );
  const own = topics.map((name) => fullTopicName(prefix, name));
  return {
    group: groupId,
    members: described.groups[0]?.members.length ?? 0,
    committed,
    topics: [...new Set([...own, ...committed.keys()])],
  };
}

async function readBounds(
  admin: GroupLagDependencies['admin'],
  topics: readonly string[],
): Promise<ReadonlyMap<string, ReadonlyMap<number, Bounds>>> {
  const entries = [...new Set(topics)].map(async (topic) => {
    const offsets = await admin.fetchTopicOffsets(topic);
    const bounds = offsets.map(
      ({ partition, low, high }) => [partition, { low: Number(low), high: Number(high) }] as const,
    );
    return [topic, new Map(bounds)] as const;
  });
  return new Map(await Promise.all(entries));
}

type Lagging = Omit<PartitionProgress, 'oldest'> & { readonly beginning: number };

function partitionsOf(
  { topics, committed }: KnownGroup,
  bounds: ReadonlyMap<string, ReadonlyMap<number, Bounds>>,
): readonly Lagging[] {
  return topics.flatMap((topic) =>
    [...(bounds.get(topic) ?? [])]
      .toSorted(([one], [other]) => one - other)
      .map(([partition, { low, high }]) => {
        const next = committed.get(topic)?.get(partition) ?? null;
        const beginning = Math.max(low, next ?? low);
        return {
          topic,
          partition,
          end: high,
          committed: next,
          lag: Math.max(0, high - beginning),
          beginning,
        };
      }),
  );
}

function oldestOf({ topic, partition, beginning, lag }: Lagging): readonly RecordOffset[] {
  return lag === 0 ? [] : [{ topic, partition, offset: beginning }];
}

function stateOf({ group, members, committed }: KnownGroup): Omit<GroupLag, 'partitions'> {
  const hasCommitted = [...committed.values()].some((offsets) => offsets.size > 0);
  const stopped = hasCommitted ? 'stopped' : 'unknown';
  return { group, members, state: members > 0 ? 'running' : stopped };
}
