import type { Logger } from '../../shared/core/logger.js';
import type { ReadModels } from '../../shared/store/models/readModels.js';
import { createPeriodicTask, type PeriodicTask } from '../../shared/concurrency/periodicTask.js';
import { readEndedWebhooks, type EndedWebhook } from './endedWebhooks.js';
import { openStatuses, openWebhookIds } from './openDeliveries.js';
import type { IsGracePeriodOver } from './attemptGracePeriod.js';

export interface OpenDeliveryScanDependencies {
  readonly models: Pick<ReadModels, 'webhooks' | 'events'>;
  readonly settling: () => IsGracePeriodOver;
  /** Called with each ended webhook that has open deliveries. */
  readonly onFound: (webhook: EndedWebhook) => void;
  readonly logger: Pick<Logger, 'warn'>;
}

export interface OpenDeliveryScan extends PeriodicTask {
  /** Walks again, also while a walk is in progress. Nothing is walked before the first call. */
  restart: () => void;
}

interface Walking {
  readonly isSettled: IsGracePeriodOver;
  hasWalked: boolean;
  isDone: boolean;
}

const pauseBetweenPassesMs = 1000;

/**
 * Finds the webhooks that ended before this process followed their changes, or before a partition became ours. It walks the
 * webhooks that have open deliveries, and not those that have ended: their number does not grow with time.
 *
 * ```
 *   restart ──► first walk ──► settled: every attempt from before has its outcome in the model ──► last walk ──► done
 * ```
 */
export function createOpenDeliveryScan({
  models,
  settling,
  onFound,
  logger,
}: OpenDeliveryScanDependencies): OpenDeliveryScan {
  let walking: Walking | null = null;

  const walk = async (signal: AbortSignal): Promise<boolean> => {
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
    const state = walking;
    if (state === null || state.isDone) {
      return;
    }
    // Asked before the walk: a walk is the last one if the model holds everything by then.
    const isLast = await state.isSettled();
    if ((isLast || !state.hasWalked) && (await walk(signal))) {
      state.hasWalked = true;
      state.isDone = isLast;
    }
  };

  return {
    ...createPeriodicTask({
      ...{ pass, logger, restMs: pauseBetweenPassesMs },
      warning: 'cannot look for open deliveries of webhooks that have ended',
    }),
    restart: () => {
      walking = { isSettled: settling(), hasWalked: false, isDone: false };
    },
  };
}
