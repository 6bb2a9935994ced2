import { inParallel } from '../../shared/concurrency/inParallel.js';
import { backlogLanes } from '../../shared/store/models/documents.js';
import type { BacklogPages, BacklogReference } from './backlogPages.js';
import { beginning } from './backlogs.js';

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

export const readsAtOnce = 8;

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
export async function oldestIn(
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
