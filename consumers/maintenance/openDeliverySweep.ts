import { inParallel } from '../../shared/concurrency/inParallel.js';
import { createPeriodicTask, type PeriodicTask } from '../../shared/concurrency/periodicTask.js';
import type { Logger } from '../../shared/core/logger.js';
import type { TopicOffsets } from '../../shared/log/client/topicOffsets.js';
import type { EventDocument } from '../../shared/store/models/documents.js';
import { allPartitions, hasReached, type AwaitedOffsets } from '../../shared/store/models/modelProgress.js';
import type { ReadModels, ReadModel } from '../../shared/store/models/readModels.js';
import type { CancelOpenDeliveries } from './cancelOpenDeliveries.js';
import { createEndedWebhookChanges, type EndedWebhook, readEndedWebhooks } from './endedWebhooks.js';
import { openStatuses, openWebhookIds } from './openDeliveries.js';

export interface SweepDependencies {
  readonly models: Pick<ReadModels, 'webhooks' | 'events'>;
  readonly offsets: TopicOffsets;
  readonly cancelOpen: CancelOpenDeliveries;
  readonly logger: Logger;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /**
   * How long an attempt that began before its webhook ended may still schedule the next attempt, in milliseconds. The
   * webhook is swept repeatedly for this time, and until the model contains all outcomes of this time.
   */
  readonly settledAfterMs: number;
}

export interface Sweep extends PeriodicTask {
  /** Starts a scan of all open deliveries. Must be called when this process owns more events than before. */
  readonly restart: () => void;
}

/** An ended webhook that is swept until no further open delivery of the webhook can appear. */
interface SweptWebhook {
  readonly webhook: EndedWebhook;
  readonly since: number;
  readonly isGracePeriodOver: IsGracePeriodOver;
  /** When the next sweep of the webhook is due, by `now`. */
  nextAt: number;
}

const pauseBetweenPassesMs = 1000;
/** The longest pause between two sweeps of a webhook. The pause grows with the time since the webhook ended. */
const longestPauseMs = 10_000;
const webhooksAtOnce = 8;
/**
 * The most webhooks in a pass, beginning with webhooks that were never swept. Between passes the sweep reads changes.
 */
const webhooksPerPass = 400;

/**
 * The sweep that cancels open deliveries of webhooks that were deleted or disabled. Without the sweep, deliveries of an
 * ended webhook would be shown as open for up to a day. A retry record that is due later finds its delivery canceled.
 * The state of the sweep is in memory only.
 *
 * ```
 *   ended webhook changed ───────────────┐
 *                                        ├──► swept after 0, 1, 2, 4, 8 s, then every 10 s ──► grace period over
 *   ended webhook with open deliveries ──┘
 * ```
 */
export function createSweep(dependencies: SweepDependencies): Sweep {
  const { models, cancelOpen, logger, now } = dependencies;
  const sweeping = new Map<string, SweptWebhook>();
  const changes = createEndedWebhookChanges(models.webhooks);
  const startGracePeriod = createAttemptGracePeriod({ ...dependencies, events: models.events });

  const add = (webhook: EndedWebhook) => {
    const known = sweeping.get(webhook.id);
    if (known === undefined || known.webhook.openFromEpoch < webhook.openFromEpoch) {
      sweeping.set(webhook.id, { webhook, since: now(), isGracePeriodOver: startGracePeriod(), nextAt: 0 });
    }
  };
  const scan = createOpenDeliveryScan({ models, startGracePeriod, onFound: add, logger });

  const sweepOne = async (state: SweptWebhook, signal: AbortSignal) => {
    if (signal.aborted) {
      return;
    }
    const { webhook, since, isGracePeriodOver } = state;
    // The grace period is checked before the sweep. The sweep is the last one if the model contains all outcomes when
    // the sweep begins.
    const isLast = await isGracePeriodOver();
    const canceled = await cancelOpen(webhook, signal);
    if (canceled > 0) {
      logger.info({ webhookId: webhook.id, canceled, ended: webhook.ended }, 'open deliveries were canceled');
    }
    state.nextAt = now() + Math.min(now() - since, longestPauseMs);
    if (isLast && sweeping.get(webhook.id) === state) {
      sweeping.delete(webhook.id);
    }
  };

  const pass = async (signal: AbortSignal) => {
    const changed = await changes.next();
    if (changed === null) {
      scan.restart();
    }
    changed?.forEach(add);
    const due = [...sweeping.values()].filter(({ nextAt }) => nextAt <= now());
    const first = due.sort((one, other) => one.nextAt - other.nextAt).slice(0, webhooksPerPass);
    await inParallel(first, webhooksAtOnce, (state) => sweepOne(state, signal));
  };

  const passes = createPeriodicTask({
    pass,
    logger,
    restMs: pauseBetweenPassesMs,
    warning: 'cannot cancel open deliveries of deleted or disabled webhooks',
  });
  return {
    restart: () => {
      // This process owns more deliveries now, so the pause of a recently swept webhook ends.
      for (const state of sweeping.values()) {
        state.nextAt = 0;
      }
      scan.restart();
    },
    start: () => {
      passes.start();
      scan.start();
    },
    stop: async () => {
      await Promise.all([passes.stop(), scan.stop()]);
    },
  };
}

/** Whether the model `events` has the outcomes of all attempts that began before the grace period. True is final. */
type IsGracePeriodOver = () => Promise<boolean>;

export interface AttemptGracePeriodDependencies {
  readonly events: Pick<ReadModel<EventDocument>, 'recentMeta'>;
  readonly offsets: Pick<TopicOffsets, 'ends'>;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** The longest time between the start of an attempt and its outcome in the log, in milliseconds. */
  readonly settledAfterMs: number;
}

/** The time for which an attempt that was in flight when its webhook ended may still schedule the next attempt. */
function createAttemptGracePeriod(dependencies: AttemptGracePeriodDependencies): () => IsGracePeriodOver {
  const { events, offsets, now, settledAfterMs } = dependencies;
  return () => {
    const since = now();
    let lastEnds: AwaitedOffsets | null = null;
    return async () => {
      if (lastEnds === null && now() - since >= settledAfterMs) {
        lastEnds = allPartitions(await offsets.ends('deliveries'));
      }
      return lastEnds !== null && hasReached(await events.recentMeta(), 'deliveries', lastEnds);
    };
  };
}

export interface OpenDeliveryScanDependencies {
  readonly models: Pick<ReadModels, 'webhooks' | 'events'>;
  readonly startGracePeriod: () => IsGracePeriodOver;
  /** Called with each ended webhook that has open deliveries. */
  readonly onFound: (webhook: EndedWebhook) => void;
  readonly logger: Pick<Logger, 'warn'>;
}

export interface OpenDeliveryScan extends PeriodicTask {
  /** Starts the scan again, even while a pass is in progress. The first call starts the first scan. */
  readonly restart: () => void;
}

interface ScanState {
  readonly isGracePeriodOver: IsGracePeriodOver;
  hasScanned: boolean;
  isDone: boolean;
}

/**
 * The scan that finds webhooks which ended before this process followed their changes, or before a partition was
 * assigned to the process. The scan reads the webhooks that have open deliveries. The number of such webhooks does not
 * grow with time, unlike the number of ended webhooks.
 *
 * ```
 *   restart ──► first scan ──► grace period over: the model has the outcomes of all earlier attempts ──► last scan ──► done
 * ```
 */
export function createOpenDeliveryScan({
  models,
  startGracePeriod,
  onFound,
  logger,
}: OpenDeliveryScanDependencies): OpenDeliveryScan {
  let current: ScanState | null = null;

  const scan = async (signal: AbortSignal): Promise<boolean> => {
    for (const status of openStatuses) {
      for await (const ids of openWebhookIds(models.events, status)) {
        if (signal.aborted) {
          return false;
        }
        (await readEndedWebhooks(models.webhooks, ids)).forEach(onFound);
      }
    }
    return true;
  };

  const pass = async (signal: AbortSignal) => {
    const state = current;
    if (state === null || state.isDone) {
      return;
    }
    // The grace period is checked before the scan. The scan is the last one if the model contains all outcomes when the
    // scan begins.
    const isLast = await state.isGracePeriodOver();
    if ((isLast || !state.hasScanned) && (await scan(signal))) {
      state.hasScanned = true;
      state.isDone = isLast;
    }
  };

  return {
    ...createPeriodicTask({
      pass,
      logger,
      restMs: pauseBetweenPassesMs,
      warning: 'cannot find open deliveries of deleted or disabled webhooks',
    }),
    restart: () => {
      current = { isGracePeriodOver: startGracePeriod(), hasScanned: false, isDone: false };
    },
  };
}
