import { withTimeout } from '../../concurrency/withTimeout.js';
import type { Metrics } from '../../runtime/metrics.js';
import type { GroupOffsets } from '../client/groupOffsets.js';
import type { TopicOffsets } from '../client/topicOffsets.js';
import type { TopicPartition } from '../client/topicPartition.js';
import type { GroupDefinition } from '../topics/groups.js';
import { createStallWatch } from './stallWatch.js';

/** The progress of a group member in its partitions. */
export interface GroupProgress {
  /** By assigned partition, the offset below which all records are done. Null if nothing was read yet. */
  watermarks: () => readonly { readonly partition: TopicPartition; readonly offset: number | null }[];
  /**
   * The time since which the oldest unfinished record could be done, in milliseconds since 1970. Null if all are done.
   */
  unfinishedSince: () => number | null;
}

export interface PartitionLag extends TopicPartition {
  /** The offset of the first unfinished record. */
  readonly offset: number;
  /** The number of records from there to the end of the partition. */
  readonly lag: number;
}

/** The delay of a group in the partitions of this process, in milliseconds. */
export interface GroupDelay {
  /** The age of the oldest unfinished record. */
  readonly oldestMs: number;
  /** How long a partition with unfinished records has made no progress. */
  readonly stalledMs: number;
}

export interface GroupReportDependencies {
  readonly group: string;
  readonly progress: GroupProgress;
  readonly offsets: TopicOffsets;
  readonly metrics: Pick<Metrics, 'onScrape' | 'consumerLag' | 'oldestUnfinished'>;
  /**
   * Set if records are due some time after their append, as in a retry tier. Then only records in the window have an
   * age.
   */
  readonly holdsRecords?: boolean;
  /** Called at each scrape. Its argument is null while the brokers do not answer. */
  readonly onDelay?: (delay: GroupDelay | null) => void;
}

/** Prometheus ends a scrape after ten seconds by default, and would lose all other metrics too. */
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
  // The assignment is read again, so that partitions revoked meanwhile are not shown.
  return watermarks().flatMap(({ partition, offset }) => {
    const end = ends.get(partition.topic)?.[partition.partition];
    if (end === undefined) {
      return [];
    }
    // A fetch returns at once if there is a record. So if nothing was read, there is no record.
    const first = Math.min(offset ?? end, end);
    return [{ ...partition, offset: first, lag: end - first }];
  });
}

/**
 * Reports a group's lag and the age of its oldest unfinished record at each scrape. It sends no requests between
 * scrapes. Only assigned partitions have a series. None has one while the brokers do not answer, because an old value
 * would look current.
 *
 * The age of a record that was not fetched is unknown. It is at least the time since a scrape first saw the record in
 * the log.
 * @returns a function that ends the report, once the process has left the group
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

/** The age of the oldest unfinished record in the window. */
function takenInMs({ unfinishedSince }: GroupProgress): number {
  const since = unfinishedSince();
  return since === null ? 0 : Math.max(0, Date.now() - since);
}

interface MembersReportDependencies {
  /** The groups to report. */
  readonly definitions: readonly GroupDefinition[];
  readonly groups: Pick<GroupOffsets, 'members'>;
  readonly metrics: Pick<Metrics, 'onScrape' | 'groupMembers'>;
}

/**
 * Reports the number of members of groups at each scrape. Kafka expires the offsets of a group after a week without
 * members, so a process outside the groups must report it. No group has a series while the brokers do not answer.
 */
export function reportMembers({ definitions, groups, metrics }: MembersReportDependencies): void {
  const groupIds = definitions.map(({ groupId }) => groupId);
  /** Concurrent scrapes share a request that does not return. */
  let asking: Promise<ReadonlyMap<string, number>> | null = null;
  const ask = () => {
    asking ??= groups.members(groupIds).finally(() => {
      asking = null;
    });
    return withTimeout(asking, answerLimitMs, 'the Kafka brokers do not respond in time');
  };
  metrics.onScrape(async () => {
    const members = await ask().catch(() => new Map<string, number>());
    metrics.groupMembers.reset();
    for (const [group, count] of members) {
      metrics.groupMembers.set({ group }, count);
    }
  });
}
