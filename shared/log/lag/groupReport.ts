import { withTimeout } from '../../concurrency/withTimeout.js';
import type { Metrics } from '../../runtime/metrics.js';
import { createStallWatch } from './stallWatch.js';
import type { TopicOffsets } from '../client/topicOffsets.js';
import type { TopicPartition } from '../client/topicPartition.js';

/** How far a member of a group is with the partitions that are its own. */
export interface GroupProgress {
  /** Of each partition that is ours, the offset below which all is done; null where nothing was read yet. */
  watermarks: () => readonly { readonly partition: TopicPartition; readonly offset: number | null }[];
  /** Since when the oldest record that was taken in could be done, in milliseconds since 1970. Null where all is done. */
  unfinishedSince: () => number | null;
}

export interface PartitionLag extends TopicPartition {
  /** The offset of the first record that is not done. */
  readonly offset: number;
  /** Records from there to the end of the partition. */
  readonly lag: number;
}

/** The delay of a group in the partitions of this process, in milliseconds. */
export interface GroupDelay {
  /** Age of the oldest unfinished record. */
  readonly oldestMs: number;
  /** For how long a partition with unfinished records has made no progress. */
  readonly stalledMs: number;
}

export interface GroupReportDependencies {
  readonly group: string;
  readonly progress: GroupProgress;
  readonly offsets: TopicOffsets;
  readonly metrics: Pick<Metrics, 'onScrape' | 'consumerLag' | 'oldestUnfinished'>;
  /** Set if records are due some time after their append, as in a retry tier. Only taken-in records have an age then. */
  readonly holdsRecords?: boolean;
  /** Called at each scrape; with null while the brokers do not answer. */
  readonly onDelay?: (delay: GroupDelay | null) => void;
}

/** Whoever scrapes gives up after ten seconds by default, and would miss all other metrics too. */
const answerLimitMs = 1000;

/**
 * The lag of each partition that is ours. Reports that ask at the same moment share the requests for end offsets.
 * @throws UnavailableError where the brokers do not answer within a second
 */
export async function lagsOf(
  { watermarks }: Pick<GroupProgress, 'watermarks'>,
  offsets: TopicOffsets,
): Promise<readonly PartitionLag[]> {
  const topics = [...new Set(watermarks().map(({ partition }) => partition.topic))];
  const requests = topics.map(async (topic) => [topic, await offsets.ends(topic)] as const);
  const ends = new Map(
    await withTimeout(Promise.all(requests), answerLimitMs, 'the log does not answer in time'),
  );
  // Asked again: what was lost meanwhile is not to be shown.
  return watermarks().flatMap(({ partition, offset }) => {
    const end = ends.get(partition.topic)?.[partition.partition];
    if (end === undefined) {
      return [];
    }
    // A fetch is answered at once where there is a record: where nothing was read, there is nothing to read.
    const first = Math.min(offset ?? end, end);
    return [{ ...partition, offset: first, lag: end - first }];
  });
}

/**
 * Shows a group's lag and the age of its oldest unfinished record at each scrape; nothing is asked in between. Only partitions
 * that are ours have a series, and none has one while the brokers do not answer: an old figure would pass for a new one.
 *
 * A record that was not fetched has no known age. It is at least as old as the time since a scrape first saw it in the log.
 * @returns what ends the report, when the process has left the group
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

/** Age of the oldest record that was taken in and is not done. */
function takenInMs({ unfinishedSince }: GroupProgress): number {
  const since = unfinishedSince();
  return since === null ? 0 : Math.max(0, Date.now() - since);
}
