import { createBoundedMap } from '../../shared/concurrency/boundedMap.js';
import type { Clock } from '../../shared/core/clock.js';
import type { Logger } from '../../shared/core/logger.js';
import { tierFor, tiers, type Tier } from '../../shared/domain/deliveries/tiers.js';
import type { Metrics } from '../../shared/runtime/metrics.js';
import { slowExchangeMs, type AttemptOwner, type LatencyClass } from '../latency/attemptClasses.js';
import type { LatencyTracker } from '../latency/latencyTracker.js';
import { createDeferralPacer } from './deferralPacer.js';

/** A deferral: when the attempt is due, and in which tier its retry record waits first. */
export interface Deferral {
  readonly due: Date;
  readonly tier: Tier;
}

/** A class of webhooks whose waiting attempts cannot all begin soon. */
export interface BusyClass {
  readonly name: LatencyClass;
  /** The time between two attempts of the class, in milliseconds. */
  readonly intervalMs: number;
}

export interface Deferrals {
  /**
   * Defers an attempt to the next due time of its webhook, and of its class if the class is busy.
   * @param isReturn whether the attempt comes from a tier and has found the webhook busy again
   */
  readonly defer: (owner: AttemptOwner, isReturn: boolean, busyClass?: BusyClass | null) => Deferral;
}

export interface DeferralDependencies {
  readonly tracker: Pick<LatencyTracker, 'meanExchangeMs'>;
  readonly webhookConcurrency: number;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  readonly clock: Clock;
  readonly metrics: Pick<Metrics, 'deliveriesDeferred'>;
  readonly logger: Pick<Logger, 'warn'>;
}

/** The longest deferral by a busy class, which bounds how late the recovery of a webhook of the class is noticed. */
const longestClassDeferralMs = 180_000;
/** The limit below which deferrals of slow webhooks end in steps of the second shortest tier, not all with one tier. */
const spreadBelowMs = 180_000;
const stepMs = 5000;
/** The slack for the lateness of a few steps, so that the last step of a deferral is short and not another 5 s. */
const slackMs = 2500;

/** The interval of log lines about one webhook, which may hang for days. */
const logIntervalMs = 60_000;
const rememberedLines = 10_000;

export function createDeferrals(dependencies: DeferralDependencies): Deferrals {
  const { tracker, webhookConcurrency, now, clock, metrics, logger } = dependencies;
  const webhookPacer = createDeferralPacer(now);
  const classPacer = createDeferralPacer(now, longestClassDeferralMs);
  const loggedAt = createBoundedMap<string, number>(rememberedLines);

  const shouldLog = (name: string): boolean => {
    const time = now();
    const last = loggedAt.get(name);
    if (last !== undefined && time - last < logIntervalMs) {
      return false;
    }
    loggedAt.set(name, time);
    return true;
  };

  /** Logs one line for a busy class, because the class may have ten thousand webhooks. */
  const log = (
    { accountId, webhookId }: AttemptOwner,
    meanExchangeMs: number,
    busyClass: BusyClass | null,
  ) => {
    if (busyClass === null && shouldLog(webhookId)) {
      logger.warn({ accountId, webhookId, meanExchangeMs }, 'a webhook is busy: its deliveries are deferred');
    } else if (busyClass !== null && shouldLog(busyClass.name)) {
      const { name: latencyClass, intervalMs } = busyClass;
      logger.warn(
        { latencyClass, intervalMs },
        'all attempt slots of a class of webhooks are taken: its deliveries are deferred',
      );
    }
  };

  return {
    defer: (owner, isReturn, busyClass = null) => {
      const meanExchangeMs = tracker.meanExchangeMs(owner.webhookId);
      const intervalMs = meanExchangeMs / webhookConcurrency;
      const waitMs = Math.max(
        webhookPacer.untilReturnMs(owner.webhookId, { intervalMs, isReturn }),
        busyClass === null
          ? 0
          : classPacer.untilReturnMs(busyClass.name, { intervalMs: busyClass.intervalMs, isReturn }),
      );
      metrics.deliveriesDeferred.inc();
      log(owner, meanExchangeMs, busyClass);
      const tier = tierFor(waitMs) ?? tiers[0];
      const isSpread = (busyClass !== null || meanExchangeMs > slowExchangeMs) && waitMs < spreadBelowMs;
      const dueInMs = isSpread ? spreadWaitMs(waitMs) : tier.delayMs;
      return { due: new Date(clock().getTime() + dueInMs), tier };
    },
  };
}

/**
 * A wait of several tiers that ends close to the due time. If all deferred attempts of a slow webhook returned after
 * one whole tier, most would be deferred again. The webhook would then have no attempts until the next tier ends.
 */
function spreadWaitMs(waitMs: number): number {
  return stepMs * Math.floor(waitMs / stepMs) + slackMs;
}
