import type { Clock } from '../../shared/core/clock.js';
import { lowestKeptEventId } from '../../shared/domain/events/expiry.js';
import type { GroupOffsets } from '../../shared/log/client/groupOffsets.js';
import type { TopicOffsets } from '../../shared/log/client/topicOffsets.js';
import type { Logger } from '../../shared/core/logger.js';
import type { ExpiredDocuments, ExpiredEvent, IdRange } from '../../shared/store/queries/expiredDocuments.js';
import type { Leases } from '../../shared/store/coordination/leases.js';
import { allPartitions, type ModelProgress } from '../../shared/store/models/modelProgress.js';
import {
  createPeriodicTask,
  sleepUnlessAborted,
  type PeriodicTask,
} from '../../shared/concurrency/periodicTask.js';
import type { GroupDefinition } from '../../shared/log/topics/groups.js';

export interface ExpirySweepDependencies {
  readonly documents: ExpiredDocuments;
  /** The progress of the model `events`. */
  readonly progress: ModelProgress;
  readonly offsets: TopicOffsets;
  readonly groups: Pick<GroupOffsets, 'committed'>;
  /** The group that makes first attempts. */
  readonly deliveryGroup: GroupDefinition;
  readonly leases: Pick<Leases, 'holdIfFree'>;
  /** How old an event is when it is removed, in milliseconds. */
  readonly expiryMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly intervalMs?: number;
}

const defaultIntervalMs = 5000;
const modelTimeoutMs = 10_000;
const pageSize = 500;
const leaseName = 'expiry';
/** The id before that of any event. */
const beforeAll = 'evt_';

/**
 * Removes old events from the models `events` and `attempts`, oldest first, page by page. The log keeps them as long as its own
 * retention says, and figures stay.
 *
 * ```
 *   old event ──┬─ its first attempts are not all done ──► stays
 *               ├─ a delivery of it is open ──► stays until it has ended
 *               └─ else ──► removed ──► its attempts too
 * ```
 * Attempts are found by their event being gone, so that a crash between the two steps, and a rebuild that has read old ones again,
 * leave nothing for long. Nothing is remembered beyond a pass. One process sweeps at a time; where a pass outlasts its lease two
 * may, to no harm.
 */
export function createExpirySweep(dependencies: ExpirySweepDependencies): PeriodicTask {
  const { documents, leases, expiryMs, clock, logger, intervalMs = defaultIntervalMs } = dependencies;

  /** Rests after each page as long as it took: a first sweep over years of events is not to hold up the folds. */
  const inPages = async (removePage: RemovePage, below: string, signal: AbortSignal): Promise<number> => {
    let removed = 0;
    let after: string | null = beforeAll;
    while (after !== null && !signal.aborted) {
      const startedAt = performance.now();
      const page: Page = await removePage({ after, below });
      removed += page.removed;
      after = page.last;
      await sleepUnlessAborted(signal, performance.now() - startedAt);
    }
    return removed;
  };

  const eventsPage =
    (isDone: IsDone): RemovePage =>
    async (range) => {
      const page = await documents.findEvents(range, pageSize);
      const removed = await documents.removeEvents(page.filter(isDone).map(({ _id }) => _id));
      return { removed, last: page.at(-1)?._id ?? null };
    };

  const attemptsPage: RemovePage = async (range) => {
    const eventIds = await documents.findEventsOfAttempts(range, pageSize);
    const removed = await documents.removeAttemptsOf(await documents.findMissing(eventIds));
    return { removed, last: eventIds.at(-1) ?? null };
  };

  const pass = async (signal: AbortSignal) => {
    const isDone = await knownDone(dependencies);
    if (isDone === null) {
      return;
    }
    const below = lowestKeptEventId(expiryMs, clock());
    const events = await inPages(eventsPage(isDone), below, signal);
    const attempts = await inPages(attemptsPage, below, signal);
    if (events > 0 || attempts > 0) {
      logger.info({ events, attempts, below }, 'expired events were removed');
    }
  };

  return createPeriodicTask({
    pass: async (signal) => {
      await leases.holdIfFree(leaseName, () => pass(signal));
    },
    restMs: intervalMs,
    warning: 'expired events wait to be removed',
    logger,
  });
}

/** `last` is the last id of the page; null where there was none. */
interface Page {
  readonly removed: number;
  readonly last: string | null;
}

type RemovePage = (range: IdRange) => Promise<Page>;

type IsDone = (event: ExpiredEvent) => boolean;

/**
 * Tells events whose first attempts are done, and whose open deliveries the model therefore knows: what the group has committed
 * had its outcomes in the log by then, and the model has passed the end that the log had after it. Null where the model is
 * behind, or incomplete: it would not know what is open.
 *
 * An event without a record of its own in the log has none to be attempted from.
 */
async function knownDone(dependencies: ExpirySweepDependencies): Promise<IsDone | null> {
  const { groups, deliveryGroup, offsets, progress } = dependencies;
  const committed = await groups.committed(deliveryGroup.groupId, 'events');
  const [events, deliveries] = await Promise.all([offsets.ends('events'), offsets.ends('deliveries')]);
  const hasReached =
    (await progress.reached('events', allPartitions(events), modelTimeoutMs)) &&
    (await progress.reached('deliveries', allPartitions(deliveries), modelTimeoutMs));
  return hasReached
    ? ({ source }) => source === undefined || source.offset < (committed[source.partition] ?? 0)
    : null;
}
