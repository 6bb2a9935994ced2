import {
  createPeriodicTask,
  sleepUnlessAborted,
  type PeriodicTask,
} from '../../shared/concurrency/periodicTask.js';
import type { Clock } from '../../shared/core/clock.js';
import type { Logger } from '../../shared/core/logger.js';
import { lowestKeptEventId } from '../../shared/domain/events/expiry.js';
import type { GroupOffsets } from '../../shared/log/client/groupOffsets.js';
import type { GroupDefinition } from '../../shared/log/topics/groups.js';
import type { Leases } from '../../shared/store/coordination/leases.js';
import { reachedEnds, type ModelAndLog } from '../../shared/store/models/modelProgress.js';
import type { ExpiredDocuments, ExpiredEvent, IdRange } from '../../shared/store/queries/expiredDocuments.js';

/** The progress is that of the model `events`. */
export interface ExpirySweepDependencies extends ModelAndLog {
  readonly documents: ExpiredDocuments;
  readonly groups: Pick<GroupOffsets, 'committed'>;
  /** The consumer group that makes first attempts. */
  readonly deliveryGroup: GroupDefinition;
  readonly leases: Pick<Leases, 'holdIfFree'>;
  /** The age at which an event is removed, in milliseconds. */
  readonly expiryMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly intervalMs?: number;
}

const defaultIntervalMs = 5000;
const modelTimeoutMs = 10_000;
const pageSize = 500;
const leaseName = 'expiry';
/** A lower bound of all event ids. */
const lowestId = 'evt_';

/**
 * The sweep that removes old events from the models `events` and `attempts`, oldest first, page by page. The log keeps
 * the events for its own retention, and the model `stats` keeps its counts.
 * ```
 *   old event ──┬─ its first attempts are not all done ──► stays
 *               ├─ a delivery of it is open ──► stays until it has ended
 *               └─ else ──► removed ──► its attempts too
 * ```
 * The sweep also removes attempts without an event. A crash between the two removals leaves such attempts, and so does
 * a rebuild that has read old events again. A sweep stores no state. One process sweeps at a time. If a sweep outlasts
 * its lease, two sweeps may run without harm.
 */
export function createExpirySweep(dependencies: ExpirySweepDependencies): PeriodicTask {
  const { documents, leases, expiryMs, clock, logger, intervalMs = defaultIntervalMs } = dependencies;

  /**
   * Removes expired documents in pages. The pause after a page is as long as the page took, so that a sweep over years
   * of events does not delay the folds.
   */
  const removeInPages = async (
    removePage: RemovePage,
    below: string,
    signal: AbortSignal,
  ): Promise<number> => {
    let removed = 0;
    let after: string | null = lowestId;
    while (after !== null && !signal.aborted) {
      const startedAt = performance.now();
      const page: Page = await removePage({ after, below });
      removed += page.removed;
      after = page.last;
      await sleepUnlessAborted(signal, performance.now() - startedAt);
    }
    return removed;
  };

  const removeEventsPage =
    (isDone: IsDone): RemovePage =>
    async (range) => {
      const page = await documents.findEvents(range, pageSize);
      const removed = await documents.removeEvents(page.filter(isDone).map(({ _id }) => _id));
      return { removed, last: page.at(-1)?._id ?? null };
    };

  const removeAttemptsPage: RemovePage = async (range) => {
    const eventIds = await documents.findEventsOfAttempts(range, pageSize);
    const removed = await documents.removeAttemptsOf(await documents.findMissing(eventIds));
    return { removed, last: eventIds.at(-1) ?? null };
  };

  const sweep = async (signal: AbortSignal) => {
    const isDone = await findDoneEvents(dependencies);
    if (isDone === null) {
      return;
    }
    const below = lowestKeptEventId(expiryMs, clock());
    const events = await removeInPages(removeEventsPage(isDone), below, signal);
    const attempts = await removeInPages(removeAttemptsPage, below, signal);
    if (events > 0 || attempts > 0) {
      logger.info({ events, attempts, below }, 'expired events were removed');
    }
  };

  return createPeriodicTask({
    pass: async (signal) => {
      await leases.holdIfFree(leaseName, () => sweep(signal));
    },
    restMs: intervalMs,
    warning: 'expired events cannot be removed yet',
    logger,
  });
}

/** The result of a removed page. `last` is the last id of the page, and null if the page was empty. */
interface Page {
  readonly removed: number;
  readonly last: string | null;
}

type RemovePage = (range: IdRange) => Promise<Page>;

type IsDone = (event: ExpiredEvent) => boolean;

/**
 * Finds the events whose first attempts are done, so that the model knows the open deliveries of these events. All
 * outcomes of events below the committed offset are in the log. The model has passed the log's end offsets, which were
 * read after the committed offset. The result is null if the model is behind or incomplete, because the model would not
 * know all open deliveries. An event without a source record in the log cannot be attempted from the log.
 */
async function findDoneEvents(dependencies: ExpirySweepDependencies): Promise<IsDone | null> {
  const { groups, deliveryGroup } = dependencies;
  const committed = await groups.committed(deliveryGroup.groupId, 'events');
  const reached = await Promise.all([
    reachedEnds(dependencies, 'events', modelTimeoutMs),
    reachedEnds(dependencies, 'deliveries', modelTimeoutMs),
  ]);
  return reached.includes(false)
    ? null
    : ({ source }) => source === undefined || source.offset < (committed[source.partition] ?? 0);
}
