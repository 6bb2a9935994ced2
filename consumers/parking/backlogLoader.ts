import { messageOf } from '../../shared/core/errors.js';
import type { Logger } from '../../shared/core/logger.js';
import { firstTriggerOf } from '../../shared/domain/deliveries/nextStep.js';
import { tenantFieldsOf } from '../../shared/domain/tenants/deliveryTenant.js';
import type { LogPosition } from '../../shared/log/records/retry.js';
import type { WorkResult } from '../../shared/log/window/retryingHandler.js';
import { backlogLanes, type BacklogLane, type DeliveryEntry } from '../../shared/store/models/documents.js';
import type { ModelPositions } from '../../shared/store/models/generations.js';
import type { RecordedState } from '../engine/deliveryJob.js';
import type { ResumeDelivery, ResumeInput } from '../engine/resumeDelivery.js';
import { createTurnRing } from '../fairness/turnRing.js';
import { probes, slowExchangeMs } from '../latency/attemptClasses.js';
import type { LatencyTracker } from '../latency/latencyTracker.js';
import type { EventStates } from '../lookups/eventStates.js';
import type { BacklogPages } from './backlogPages.js';
import { beginning, hasPassed, type Backlog, type PartitionBacklog, type RecentAttempt } from './backlogs.js';

export interface BacklogLoaderDependencies {
  readonly pages: Pick<BacklogPages, 'first' | 'positions'>;
  readonly states: Pick<EventStates, 'contentOf'>;
  readonly resumeDelivery: ResumeDelivery;
  readonly tracker: Pick<LatencyTracker, 'meanExchangeMs'>;
  readonly webhookConcurrency: number;
  /** The most attempts that are loaded at once, of all webhooks. */
  readonly mostLoaded: number;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  readonly logger: Pick<Logger, 'warn'>;
}

/** Loads the attempts of backlogs while there is room. */
export interface BacklogLoader {
  /** Examines backlogs: each loads attempts in its turn, if it has room. */
  readonly examine: (backlogs: Iterable<Backlog>) => void;
  /** The number of loaded attempts. */
  readonly loaded: () => number;
}

const pageSize = 50;
const readsAtOnce = 4;
/** The pause of a backlog after a failed read, or after an attempt that has got no slot. */
const pauseMs = 1000;
/**
 * The most attempts of a backlog that are loaded, or whose outcome the model does not contain yet. Each page from the
 * beginning contains the latter again, so a model that is far behind must not let them become many.
 */
const mostRecentOfBacklog = 5_000;
/** The same limit for all backlogs, which bounds their memory. */
const mostRecent = 100_000;

/**
 * The loading of parked deliveries, the oldest event of each partition first. A loaded delivery stays parked until the
 * log has its outcome. So an attempt that gets no slot, and an attempt of a lost partition, are dropped.
 * @param mayLoad whether the backlogs of a partition may be loaded
 */
export function createBacklogLoader(
  dependencies: BacklogLoaderDependencies,
  mayLoad: (partition: PartitionBacklog) => boolean,
): BacklogLoader {
  const { pages, states, resumeDelivery, tracker, webhookConcurrency, mostLoaded, now, logger } =
    dependencies;
  const ring = createTurnRing<Backlog>();
  let loaded = 0;
  let recent = 0;
  let reading = 0;

  /**
   * A webhook whose attempts all fail, or of whose backlog no attempt has succeeded yet, uses up few attempts of its
   * oldest deliveries. With more room, a webhook that hangs would read the pages of all its partitions each time it is
   * examined.
   */
  const limitOf = ({ webhookId, failures }: Backlog): number => {
    if (failures >= webhookConcurrency) {
      return Math.min(probes, webhookConcurrency);
    }
    // The next attempt of a quick webhook is loaded before a slot is free.
    const isQuick = tracker.meanExchangeMs(webhookId) <= slowExchangeMs;
    return isQuick ? 2 * webhookConcurrency : webhookConcurrency;
  };

  const roomOf = (backlog: Backlog): number =>
    backlog.notBefore > now()
      ? 0
      : Math.min(
          limitOf(backlog) - backlog.loaded,
          mostLoaded - loaded,
          mostRecentOfBacklog - backlog.recent.size,
          mostRecent - recent,
        );

  const wake = (backlog: Backlog) => {
    ring.put(backlog);
    pump();
  };

  const pump = () => {
    // A backlog for which there is no room stays in the ring, so that the next free place goes to the next account and tenant.
    while (reading < readsAtOnce && loaded < mostLoaded) {
      const backlog = ring.take();
      if (backlog === null) {
        return;
      }
      if (backlog.isReading || roomOf(backlog) <= 0) {
        backlog.isWoken = true;
        continue;
      }
      reading += 1;
      backlog.isReading = true;
      backlog.isWoken = false;
      void fill(backlog)
        .catch((error: unknown) => {
          backlog.notBefore = now() + pauseMs;
          logger.warn(
            { webhookId: backlog.webhookId, error: messageOf(error) },
            'the backlog of a webhook cannot be read, and is read again',
          );
        })
        .finally(() => {
          reading -= 1;
          backlog.isReading = false;
          if (backlog.isWoken) {
            ring.put(backlog);
          }
          pump();
        });
    }
  };

  /** Loads attempts while there is room. Deliveries of replays wait until no other delivery can be loaded. */
  const fill = async (backlog: Backlog) => {
    for (const lane of backlogLanes) {
      const partitions = [...backlog.partitions.values()].filter((one) => mayLoadLane(one, lane));
      const share = Math.ceil(roomOf(backlog) / Math.max(1, partitions.length));
      for (const partition of partitions) {
        const room = Math.min(roomOf(backlog), share);
        if (room > 0) {
          await loadPage(backlog, { partition, lane, room });
        }
      }
      if (roomOf(backlog) <= 0) {
        return;
      }
      if ([...backlog.partitions.values()].some((one) => mayLoadLane(one, lane))) {
        ring.put(backlog);
        return;
      }
    }
  };

  const mayLoadLane = (partition: PartitionBacklog, lane: BacklogLane): boolean =>
    !partition.signal.aborted && !partition.lanes[lane].isExhausted && mayLoad(partition);

  const loadPage = async (
    backlog: Backlog,
    { partition, lane, room }: { partition: PartitionBacklog; lane: BacklogLane; room: number },
  ) => {
    const state = partition.lanes[lane];
    const { above } = state;
    const limit = Math.min(room, pageSize);
    // The positions are read first: an empty page that is read later shows that the backlog has ended.
    const positions = above === beginning ? await pages.positions() : null;
    const { webhookId } = backlog;
    const entries = await pages.first({ webhookId, home: partition.home, lane, above, limit });
    if (partition.signal.aborted || state.above !== above) {
      return;
    }
    state.isExhausted = entries.length < limit;
    state.above = (state.isExhausted ? null : entries.at(-1)?.offset) ?? beginning;
    state.isEmpty = isEmptyAt(partition, entries, positions);
    // The partition is the last one in the next round, unless its backlog has ended.
    backlog.partitions.delete(partition.home);
    if (!backlogLanes.every((one) => partition.lanes[one].isEmpty)) {
      backlog.partitions.set(partition.home, partition);
    }
    entries
      .filter((entry) => !backlog.recent.has(keyOf(entry)))
      .forEach((entry) => {
        load(backlog, { partition, lane }, entry);
      });
  };

  const load = (
    backlog: Backlog,
    { partition, lane }: { readonly partition: PartitionBacklog; readonly lane: BacklogLane },
    entry: DeliveryEntry,
  ) => {
    const key = keyOf(entry);
    const state: RecentAttempt = { endedAt: null, outcome: null };
    backlog.recent.set(key, state);
    backlog.loaded += 1;
    loaded += 1;
    recent += 1;
    void attempt(backlog, { entry, state }, partition.signal).then((result) => {
      backlog.loaded -= 1;
      loaded -= 1;
      if (result === 'done' || state.outcome !== null) {
        state.endedAt = now();
      } else {
        backlog.recent.delete(key);
        backlog.notBefore = now() + pauseMs;
        const { [lane]: ofLane } = partition.lanes;
        ofLane.above = Math.min(ofLane.above, entry.offset - 1);
        ofLane.isExhausted = false;
      }
      wake(backlog);
    });
  };

  const attempt = async (
    backlog: Backlog,
    { entry, state }: { readonly entry: DeliveryEntry; readonly state: RecentAttempt },
    signal: AbortSignal,
  ): Promise<WorkResult> => {
    const recorded = (is: RecordedState, outcome: LogPosition | null = null) => {
      backlog.failures = is === 'retrying' || is === 'failed' ? backlog.failures + 1 : 0;
      state.outcome = outcome;
    };
    const content = () => states.contentOf(entry.eventId);
    const progressOfAttempt = { begun: () => undefined, recorded };
    try {
      return await resumeDelivery({ ...releaseOf(entry), content, progress: progressOfAttempt }, signal);
    } catch (error) {
      logger.warn(
        { eventId: entry.eventId, webhookId: entry.webhookId, error: messageOf(error) },
        'the release of a parked delivery has failed: it stays parked',
      );
      return 'abandoned';
    }
  };

  return {
    examine: (examined) => {
      recent = 0;
      for (const backlog of examined) {
        ring.put(backlog);
        recent += backlog.recent.size;
      }
      pump();
    },
    loaded: () => loaded,
  };
}

/** The key of the attempt that an entry waits for. */
function keyOf({ eventId, delivery: { cycle, parked } }: DeliveryEntry): string {
  return [eventId, cycle, parked?.number ?? 0].join('/');
}

function releaseOf({
  accountId,
  mode,
  eventId,
  webhookId,
  home,
  offset,
  onlyWebhookId,
  ofTenant,
  delivery,
}: DeliveryEntry): ResumeInput {
  const { cycle, epoch, replayId, parked } = delivery;
  const positions = { event: { partition: home, offset }, outcome: null };
  const trigger = firstTriggerOf(delivery, onlyWebhookId);
  return {
    identity: {
      eventId,
      accountId,
      mode,
      webhookId,
      cycle,
      epoch,
      replayId,
      positions,
      ...tenantFieldsOf({ tenantId: ofTenant, tenancy: delivery.tenancy }),
    },
    source: { record: 'release', trigger, cycle, number: parked?.number ?? 0 },
    isOverShare: false,
    state: { source: { partition: home, offset, appended: 0 }, deliveries: [delivery] },
  };
}

/** Whether a page from the beginning, read after the positions, shows that the lane has no parked delivery. */
function isEmptyAt(
  partition: PartitionBacklog,
  entries: readonly DeliveryEntry[],
  positions: ModelPositions | null,
): boolean {
  return entries.length === 0 && positions !== null && hasPassed(partition, positions);
}
