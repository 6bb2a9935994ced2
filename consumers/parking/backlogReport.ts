import { inParallel } from '../../shared/concurrency/inParallel.js';
import type { Clock } from '../../shared/core/clock.js';
import type { Metrics } from '../../shared/runtime/metrics.js';
import { backlogLanes } from '../../shared/store/models/documents.js';
import { mostBacklogs, type BacklogPages, type BacklogReference } from './backlogPages.js';
import { beginning } from './backlogs.js';
import type { Release } from './release.js';

/** The backlog of one webhook in all partitions. */
export interface ListedBacklog {
  readonly accountId: string;
  readonly webhookId: string;
  readonly parked: number;
  /** When the oldest event with a parked delivery was created; null if it was not read. */
  readonly oldest: Date | null;
}

/** The most partitions of backlogs whose oldest event is read, of the longest backlogs. */
const mostReads = 500;

/**
 * Lists backlogs by webhook, the longest first.
 * @throws UnavailableError if the read model cannot be read, or is incomplete
 */
export async function listBacklogs(
  pages: Pick<BacklogPages, 'all' | 'first'>,
): Promise<readonly ListedBacklog[]> {
  const found = await pages.all(null);
  const partitionsOf = new Map<string, (typeof found)[number][]>();
  for (const backlog of found) {
    const partitions = partitionsOf.get(backlog.webhookId) ?? [];
    partitionsOf.set(backlog.webhookId, [...partitions, backlog]);
  }
  const listed = [...partitionsOf].map(([webhookId, partitions]) => ({
    accountId: partitions[0]?.accountId ?? '',
    webhookId,
    parked: partitions.reduce((sum, { parked }) => sum + parked, 0),
  }));
  const longestFirst = listed.sort((one, other) => other.parked - one.parked);
  const oldest = new Map<string, Date | null>();
  let reads = 0;
  // The oldest event of a webhook is known only if all partitions of its backlog are read.
  const read = longestFirst.filter(({ webhookId }) => {
    reads += partitionsOf.get(webhookId)?.length ?? 0;
    return reads <= mostReads;
  });
  await inParallel(read, readsAtOnce, async ({ webhookId }) => {
    oldest.set(webhookId, await oldestOfAll(pages, partitionsOf.get(webhookId) ?? []));
  });
  return longestFirst.map((backlog) => ({ ...backlog, oldest: oldest.get(backlog.webhookId) ?? null }));
}

async function oldestOfAll(
  pages: Pick<BacklogPages, 'first'>,
  partitions: readonly BacklogReference[],
): Promise<Date | null> {
  const times: number[] = [];
  for (const partition of partitions) {
    const oldest = await oldestIn(pages, partition);
    times.push(...(oldest === null ? [] : [oldest.getTime()]));
  }
  return times.length === 0 ? null : new Date(Math.min(...times));
}

export interface BacklogReportDependencies {
  readonly pages: Pick<BacklogPages, 'all' | 'first'>;
  readonly release: Pick<Release, 'homes'>;
  readonly clock: Clock;
  readonly metrics: Pick<Metrics, 'onScrape' | 'deliveriesParked' | 'oldestParkedSeconds'>;
}

/** Reports the backlogs of this process's partitions at each scrape. A number that is not known is no number. */
export function reportBacklogs({ pages, release, clock, metrics }: BacklogReportDependencies): void {
  const oldestParked = createOldestParked(pages);
  metrics.onScrape(async () => {
    const found = await pages.all(release.homes()).catch(() => null);
    const backlogs = found === null || found.length === mostBacklogs ? null : found;
    const oldest =
      backlogs === null ? 'unknown' : await oldestParked(backlogs).catch(() => 'unknown' as const);
    metrics.deliveriesParked.set(backlogs?.reduce((sum, { parked }) => sum + parked, 0) ?? NaN);
    metrics.oldestParkedSeconds.set(oldest === 'unknown' ? NaN : secondsSince(oldest, clock()));
  });
}

function secondsSince(oldest: Date | null, now: Date): number {
  return oldest === null ? 0 : Math.max(0, (now.getTime() - oldest.getTime()) / 1000);
}

/**
 * Reads when the oldest event of some backlogs was created; null if no delivery is parked. The answer is unknown until
 * each backlog was read once.
 */
export type OldestParked = (backlogs: readonly BacklogReference[]) => Promise<Date | null | 'unknown'>;

interface FirstParked {
  readonly backlog: BacklogReference;
  /** When the oldest event was created, in milliseconds, at the last read; -Infinity before the first read. */
  oldest: number;
  /** The number of the call that read the backlog last. */
  readIn: number;
}

const readsAtOnce = 8;

/**
 * The oldest event of any number of backlogs, with a bounded number of reads. A backlog is released from its oldest event
 * on. So the time of an earlier read is a lower bound, and backlogs with a later time need no read. Half of the reads go
 * to the backlogs that were read the longest ago. The delivery of an older event may have been parked in one of them.
 * @param mostReads the most backlogs that a call reads
 */
export function createOldestParked(pages: Pick<BacklogPages, 'first'>, mostReads = 100): OldestParked {
  let known = new Map<string, FirstParked>();
  let call = 0;

  const readFirst = async (some: readonly FirstParked[]) => {
    await inParallel(some.slice(0, Math.ceil(mostReads / 2)), readsAtOnce, async (one) => {
      one.oldest = (await oldestIn(pages, one.backlog))?.getTime() ?? Infinity;
      one.readIn = call;
    });
  };

  return async (backlogs) => {
    call += 1;
    const all = backlogs.map(
      (backlog) => known.get(keyOf(backlog)) ?? { backlog, oldest: -Infinity, readIn: 0 },
    );
    known = new Map(all.map((one) => [keyOf(one.backlog), one]));
    await readFirst(all.toSorted((one, other) => one.oldest - other.oldest));
    await readFirst(
      all.filter(({ readIn }) => readIn < call).toSorted((one, other) => one.readIn - other.readIn),
    );
    const [oldest] = all.toSorted((one, other) => one.oldest - other.oldest);
    if (oldest === undefined || oldest.oldest === Infinity) {
      return null;
    }
    return oldest.readIn === call ? new Date(oldest.oldest) : 'unknown';
  };
}

/** When the oldest event of a backlog was created; null if no delivery is parked. */
async function oldestIn(
  pages: Pick<BacklogPages, 'first'>,
  { webhookId, home }: BacklogReference,
): Promise<Date | null> {
  const firsts = await Promise.all(
    backlogLanes.map((lane) => pages.first({ webhookId, home, lane, above: beginning, limit: 1 })),
  );
  const times = firsts.flat().map(({ created }) => created.getTime());
  return times.length === 0 ? null : new Date(Math.min(...times));
}

function keyOf({ webhookId, home }: BacklogReference): string {
  return `${webhookId}/${String(home)}`;
}
