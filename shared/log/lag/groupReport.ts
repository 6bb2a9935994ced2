import { singleFlight } from '../../concurrency/singleFlight.js';
import { withTimeout } from '../../concurrency/withTimeout.js';
import type { Metrics } from '../../runtime/metrics.js';
import type { GroupOffsets } from '../client/groupOffsets.js';
import type { TopicOffsets } from '../client/topicOffsets.js';
import { type TopicPartition, nameOfPartition } from '../client/topicPartition.js';
import type { GroupDefinition } from '../topics/groups.js';

/** The progress of a group member in its partitions. */
export interface GroupProgress {
  /**
   * Returns the watermark of each assigned partition, below which all records are done. The watermark is null before
   * the first fetch of the partition.
   */
  watermarks: () => readonly { readonly partition: TopicPartition; readonly offset: number | null }[];
  /**
   * Returns the time at which the oldest unfinished record became ready, in milliseconds since 1970; null if all
   * fetched records are done.
   */
  unfinishedSince: () => number | null;
}

export interface PartitionLag extends TopicPartition {
  /** The offset of the first unfinished record. */
  readonly offset: number;
  /** The number of records from the first unfinished record to the end of the partition. */
  readonly lag: number;
}

/** The delay of a consumer group in the partitions of this process, in milliseconds. */
export interface GroupDelay {
  /** The age of the group's oldest unfinished record, in milliseconds. */
  readonly oldestMs: number;
  /** The longest time that a partition with unfinished records has made no progress, in milliseconds. */
  readonly stalledMs: number;
}

export interface GroupReportDependencies {
  readonly group: string;
  readonly progress: GroupProgress;
  readonly offsets: TopicOffsets;
  readonly metrics: Pick<Metrics, 'onScrape' | 'consumerLag' | 'oldestUnfinished'>;
  /**
   * Whether records are due some time after their append, as in a retry tier. A group that holds records reports the
   * age of records in the window only.
   */
  readonly holdsRecords?: boolean;
  /** Called at each scrape with the delay of the group. The delay is null while the brokers do not answer. */
  readonly onDelay?: (delay: GroupDelay | null) => void;
}

/**
 * The time limit for the brokers' answer during a scrape. Prometheus ends a scrape after 10 s by default, and would
 * lose all metrics of the process.
 */
const answerLimitMs = 1000;

/**
 * The lag of each assigned partition. Concurrent reports share the requests for end offsets.
 * @throws UnavailableError if the brokers do not answer within a second
 */
export async function lagsOf(
  { watermarks }: Pick<GroupProgress, 'watermarks'>,
  offsets: TopicOffsets,
): Promise<readonly PartitionLag[]> {
  const topics = [...new Set(watermarks().map(({ partition }) => partition.topic))];
  const requests = topics.map(async (topic) => [topic, await offsets.ends(topic)] as const);
  const ends = new Map(
    await withTimeout(Promise.all(requests), answerLimitMs, 'Kafka does not respond in time'),
  );
  // The assignment is read after the answer, so that partitions revoked during the request are not reported.
  return watermarks().flatMap(({ partition, offset }) => {
    const end = ends.get(partition.topic)?.[partition.partition];
    if (end === undefined) {
      return [];
    }
    // Without a fetch, the partition has no record, because the broker answers a fetch at once if a record exists.
    const first = Math.min(offset ?? end, end);
    return [{ ...partition, offset: first, lag: end - first }];
  });
}

/**
 * Reports a group's lag and the age of its oldest unfinished record at each scrape. No requests are sent between
 * scrapes. Only assigned partitions have a series in the metrics. While the brokers do not answer, no partition has a
 * series, because an old value would look current.
 *
 * The age of a record that was not fetched is unknown. The reported age of a record that was not fetched is the time
 * since a scrape first found the record in the log.
 * @returns a function that ends the report, for a process that has left the group
 */
export function reportGroup(dependencies: GroupReportDependencies): () => void {
  const { group, progress, offsets, metrics, holdsRecords = false, onDelay } = dependencies;
  const stalls = createStallWatch(() => performance.now());
  let shown: readonly PartitionLag[] = [];
  let ended = false;
  const forget = () => {
    for (const { topic, partition } of shown) {
      metrics.consumerLag.remove({ group, topic, partition });
    }
    shown = [];
  };
  const endScrapes = metrics.onScrape(async () => {
    const lags = await lagsOf(progress, offsets).catch(() => null);
    forget();
    if (ended) {
      return;
    }
    const stalledMs = stalls.look(lags ?? []);
    const oldestMs = Math.max(takenInMs(progress), holdsRecords ? 0 : stalledMs);
    metrics.oldestUnfinished.set({ group }, oldestMs / 1000);
    onDelay?.(lags === null ? null : { oldestMs, stalledMs });
    shown = lags ?? [];
    for (const { topic, partition, lag } of shown) {
      metrics.consumerLag.set({ group, topic, partition }, lag);
    }
  });
  return () => {
    ended = true;
    endScrapes();
    forget();
    metrics.oldestUnfinished.remove({ group });
  };
}

/** The age of the oldest unfinished record in the window, in milliseconds. */
function takenInMs({ unfinishedSince }: GroupProgress): number {
  const since = unfinishedSince();
  return since === null ? 0 : Math.max(0, Date.now() - since);
}

interface MembersReportDependencies {
  /** The consumer groups whose members are reported. */
  readonly definitions: readonly GroupDefinition[];
  readonly groups: Pick<GroupOffsets, 'members'>;
  readonly metrics: Pick<Metrics, 'onScrape' | 'groupMembers'>;
}

/**
 * Reports the number of members of groups at each scrape. Kafka expires the offsets of a group after a week without
 * members. So a process outside of the group must report that the group has no members. While the brokers do not
 * answer, no group has a series in the metrics.
 */
export function reportMembers({ definitions, groups, metrics }: MembersReportDependencies): void {
  const groupIds = definitions.map(({ groupId }) => groupId);
  const ask = singleFlight(() => groups.members(groupIds));
  metrics.onScrape(async () => {
    const answer = withTimeout(ask(), answerLimitMs, 'the Kafka brokers do not respond in time');
    const members = await answer.catch(() => new Map<string, number>());
    metrics.groupMembers.reset();
    for (const [group, count] of members) {
      metrics.groupMembers.set({ group }, count);
    }
  });
}

/** The position of a consumer group in a partition. */
export interface PartitionPosition extends TopicPartition {
  /** The offset of the first unfinished record. */
  readonly offset: number;
  /** The number of unfinished records. */
  readonly lag: number;
}

/** Measures how long partitions with unfinished records stay at one offset. */
export interface StallWatch {
  /**
   * @returns how long the longest-stalled partition has been at its offset, in milliseconds; 0 if no partition is
   *   stalled
   */
  look: (positions: readonly PartitionPosition[]) => number;
}

interface Sighting {
  readonly offset: number;
  readonly since: number;
}

/** @param now the monotonic time, in milliseconds */
export function createStallWatch(now: () => number): StallWatch {
  let sightings: ReadonlyMap<string, Sighting> = new Map();
  return {
    look: (positions) => {
      const at = now();
      const unfinished = positions.filter(({ lag }) => lag > 0);
      sightings = new Map(
        unfinished.map((position) => {
          const name = nameOfPartition(position);
          const last = sightings.get(name);
          const since = last?.offset === position.offset ? last.since : at;
          return [name, { offset: position.offset, since }];
        }),
      );
      return at - Math.min(at, ...[...sightings.values()].map(({ since }) => since));
    },
  };
}
