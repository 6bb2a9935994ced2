import { createPeriodicTask, type PeriodicTask } from '../../shared/concurrency/periodicTask.js';
import type { Logger } from '../../shared/core/logger.js';
import type { ReadModels } from '../../shared/store/models/readModels.js';
import type { IsGracePeriodOver } from './attemptGracePeriod.js';
import { readEndedWebhooks, type EndedWebhook } from './endedWebhooks.js';
import { openStatuses, openWebhookIds } from './openDeliveries.js';

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

const pauseBetweenPassesMs = 1000;

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
