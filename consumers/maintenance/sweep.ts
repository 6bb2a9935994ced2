import type { TopicOffsets } from '../../shared/log/client/topicOffsets.js';
import type { Logger } from '../../shared/core/logger.js';
import type { ReadModels } from '../../shared/store/models/readModels.js';
import { createPeriodicTask, type PeriodicTask } from '../../shared/concurrency/periodicTask.js';
import type { CancelOpenDeliveries } from './cancelOpenDeliveries.js';
import { createEndedWebhookChanges, type EndedWebhook } from './endedWebhooks.js';
import { inParallel } from './inParallel.js';
import { createOpenDeliveryScan } from './openDeliveryScan.js';
import { createAttemptGracePeriod, type IsGracePeriodOver } from './attemptGracePeriod.js';

export interface SweepDependencies {
  readonly models: Pick<ReadModels, 'webhooks' | 'events'>;
  readonly offsets: TopicOffsets;
  readonly cancelOpen: CancelOpenDeliveries;
  readonly logger: Logger;
  /** Milliseconds that only go forward. */
  readonly now: () => number;
  /**
   * How long an attempt that began before its webhook ended may still schedule the next one, in milliseconds. A webhook is swept
   * repeatedly for that long, and until the model contains all outcomes of that time.
   */
  readonly settledAfterMs: number;
}

export interface Sweep extends PeriodicTask {
  /** Looks at all open deliveries again: to be called when this process got more to work on. */
  restart: () => void;
}

/** A webhook that has ended, and is swept until no open delivery of it can appear any more. */
interface Sweeping {
  readonly webhook: EndedWebhook;
  readonly since: number;
  readonly isSettled: IsGracePeriodOver;
  /** When it is swept next, by `now`. */
  nextAt: number;
}

const pauseBetweenPassesMs = 1000;
/** The longest pause between two sweeps of a webhook: it grows with the time since the webhook ended. */
const longestPauseMs = 10_000;
const webhooksAtOnce = 8;
/** Of more webhooks that are due, those that have not been swept yet come first, and new ones are looked for in between. */
const webhooksInPass = 400;

/**
 * Cancels open deliveries of webhooks that were deleted or disabled, so that they are not shown as open for up to a day. A retry
 * record that comes due later finds its delivery canceled. Nothing is stored beyond the process.
 *
 * ```
 *   ended webhook changed ───────────────┐
 *                                        ├──► swept after 0, 1, 2, 4, 8 s, then every 10 s ──► settled
 *   ended webhook with open deliveries ──┘
 * ```
 */
export function createSweep(dependencies: SweepDependencies): Sweep {
  const { models, cancelOpen, logger, now } = dependencies;
  const sweeping = new Map<string, Sweeping>();
  const changes = createEndedWebhookChanges(models.webhooks);
  const settling = createAttemptGracePeriod({ ...dependencies, events: models.events });

  const add = (webhook: EndedWebhook) => {
    const known = sweeping.get(webhook.id);
    if (known === undefined || known.webhook.openFromEpoch < webhook.openFromEpoch) {
      sweeping.set(webhook.id, { webhook, since: now(), isSettled: settling(), nextAt: 0 });
    }
  };
  const walk = createOpenDeliveryScan({ models, settling, onFound: add, logger });

  const sweepOne = async (state: Sweeping, signal: AbortSignal) => {
    if (signal.aborted) {
      return;
    }
    const { webhook, since, isSettled } = state;
    // Asked before the sweep: it is the last one if the model holds everything by then.
    const isLast = await isSettled();
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
      walk.restart();
    }
    changed?.forEach(add);
    const due = [...sweeping.values()].filter(({ nextAt }) => nextAt <= now());
    const first = due.sort((one, other) => one.nextAt - other.nextAt).slice(0, webhooksInPass);
    await inParallel(first, webhooksAtOnce, (state) => sweepOne(state, signal));
  };

  const passes = createPeriodicTask({
    ...{ pass, logger, restMs: pauseBetweenPassesMs },
    warning: 'deliveries of webhooks that have ended wait to be canceled',
  });
  return {
    restart: () => {
      // More deliveries are ours: what was swept shortly before is not skipped for its pause.
      for (const state of sweeping.values()) {
        state.nextAt = 0;
      }
      walk.restart();
    },
    start: () => {
      passes.start();
      walk.start();
    },
    stop: async () => {
      await Promise.all([passes.stop(), walk.stop()]);
    },
  };
}
