import type { Clock } from '../../shared/core/clock.js';
import { tierFor, tiers, type Tier } from '../../shared/domain/deliveries/tiers.js';
import type { Logger } from '../../shared/core/logger.js';
import type { Metrics } from '../../shared/runtime/metrics.js';
import { createBoundedMap } from '../../shared/concurrency/boundedMap.js';
import { slowExchangeMs, type AttemptOwner, type LatencyClass } from '../latency/attemptClasses.js';
import { createDeferralPacer } from './deferralPacer.js';
import type { LatencyTracker } from '../latency/latencyTracker.js';

/** For how long a pair is put off. */
export interface Deferral {
  readonly due: Date;
  /** Where its work record waits first. */
  readonly tier: Tier;
}

/** A class of webhooks that has more attempts waiting than it can begin soon. */
export interface BusyClass {
  readonly name: LatencyClass;
  /** Between two attempts of the class that begin. */
  readonly intervalMs: number;
}

export interface Deferrals {
  /**
   * Gives an attempt the next due time of its webhook, and of its class if that is busy too.
   * @param isReturn whether it comes from a tier, and has found the webhook busy again
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

/** A class has many webhooks, and any of them may have recovered: this is how late that is noticed, and one tier record. */
const longestClassDeferralMs = 180_000;
/** What is due sooner is spread over the time until then, by steps of the second shortest tier. */
const spreadBelowMs = 180_000;
const stepMs = 5000;
/** What the hops of a few steps are late by: the last one is to be short, not another step of five short ones. */
const slackMs = 2500;

/** A webhook that hangs for days would fill the log with the same line. */
const loggedAgainAfterMs = 60_000;
const rememberedLines = 10_000;

export function createDeferrals(dependencies: DeferralDependencies): Deferrals {
  const { tracker, webhookConcurrency, now, clock, metrics, logger } = dependencies;
  const webhookPacer = createDeferralPacer(now);
  const classPacer = createDeferralPacer(now, longestClassDeferralMs);
  const loggedAt = createBoundedMap<string, number>(rememberedLines);

  const isNews = (name: string): boolean => {
    const time = now();
    const before = loggedAt.get(name);
    if (before !== undefined && time - before < loggedAgainAfterMs) {
      return false;
    }
    loggedAt.set(name, time);
    return true;
  };

  /** One line for a busy class: it may have ten thousand webhooks. */
  const log = (
    { accountId, webhookId }: AttemptOwner,
    meanExchangeMs: number,
    busyClass: BusyClass | null,
  ) => {
    if (busyClass === null && isNews(webhookId)) {
      logger.warn({ accountId, webhookId, meanExchangeMs }, 'a webhook is busy: its deliveries are deferred');
    } else if (busyClass !== null && isNews(busyClass.name)) {
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
 * A wait that ends with its slot, down the ladder. Of a slow webhook only a few can be taken of all that would come back after
 * one whole tier: the others would be put off again, and the webhook would have nothing to do until the next tier ends.
 */
function spreadWaitMs(waitMs: number): number {
  return stepMs * Math.floor(waitMs / stepMs) + slackMs;
}
