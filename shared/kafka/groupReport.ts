import { inTime } from '../inTime.js';
import type { Metrics } from '../metrics.js';
import type { TopicOffsets } from './topicOffsets.js';
import type { TopicPartition } from './topicPartition.js';

/** How far a member of a group is with the partitions that are its own. */
export interface GroupProgress {
  /** Of each partition that is ours, the offset below which all is done; null where nothing was read yet. */
  watermarks: () => readonly { readonly partition: TopicPartition; readonly offset: number | null }[];
  /** Since when the oldest record that was taken in could be done, in milliseconds since 1970. Null where all is done. */
  unfinishedSince: () => number | null;
}

export interface PartitionLag extends TopicPartition {
  /** Records from the first that is not done to the end of the partition. */
  readonly lag: number;
}

export interface GroupReportDependencies {
  readonly group: string;
  readonly progress: GroupProgress;
  readonly offsets: TopicOffsets;
  readonly metrics: Pick<Metrics, 'onScrape' | 'consumerLag' | 'oldestUnfinished'>;
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
  const ends = new Map(await inTime(Promise.all(requests), answerLimitMs, 'the log does not answer in time'));
  // Asked again: what was lost meanwhile is not to be shown.
  return watermarks().flatMap(({ partition, offset }) => {
    const end = ends.get(partition.topic)?.[partition.partition];
    // A fetch is answered at once where there is a record: where nothing was read, there is nothing to read.
    return end === undefined ? [] : [{ ...partition, lag: Math.max(0, end - (offset ?? end)) }];
  });
}

/**
 * Shows a group's lag and its oldest unfinished record at each scrape; nothing is asked in between. Only partitions
 * that are ours have a series, and none has one while the brokers do not answer: an old figure would pass for a new one.
 * @returns what ends the report, when the process has left the group
 */
export function reportGroup({ group, progress, offsets, metrics }: GroupReportDependencies): () => void {
  let shown: readonly TopicPartition[] = [];
  let ended = false;
  const forget = () => {
    for (const { topic, partition } of shown) {
      metrics.consumerLag.remove({ group, topic, partition });
    }
    shown = [];
  };
  const endScrapes = metrics.onScrape(async () => {
    const since = progress.unfinishedSince();
    metrics.oldestUnfinished.set({ group }, since === null ? 0 : Math.max(0, Date.now() - since) / 1000);
    const lags = await lagsOf(progress, offsets).catch(() => []);
    forget();
    if (ended) {
      return;
    }
    for (const { topic, partition, lag } of lags) {
      metrics.consumerLag.set({ group, topic, partition }, lag);
    }
    shown = lags;
  });
  return () => {
    ended = true;
    endScrapes();
    forget();
    metrics.oldestUnfinished.remove({ group });
  };
}
