import type { Clock } from '../../shared/clock.js';
import { tierFor, tiers, type Tier } from '../../shared/domain/tiers.js';
import type { Logger } from '../../shared/logger.js';
import type { Metrics } from '../../shared/metrics.js';
import type { AttemptOwner } from './attemptQueue.js';
import type { WebhookPaces } from './webhookPaces.js';

/** For how long a pair is put off. */
export interface Deferral {
  readonly due: Date;
  /** Where its work record waits first. */
  readonly tier: Tier;
}

export interface Deferrals {
  /**
   * Gives a pair the next slot of its webhook.
   * @param isReturn whether it comes back from a tier, and has found the webhook busy again
   */
  readonly defer: (owner: AttemptOwner, isReturn: boolean) => Deferral;
}

export interface DeferralDependencies {
  readonly paces: WebhookPaces;
  readonly webhookConcurrency: number;
  readonly clock: Clock;
  readonly metrics: Pick<Metrics, 'deliveriesDeferred'>;
  readonly logger: Pick<Logger, 'warn'>;
}

/** Below it, whatever returns at once is worked off from memory within the time that a pair may wait there. */
const slowExchangeMs = 1000;
/** What is due sooner is spread over the time until then, by steps of the second shortest tier. */
const spreadBelowMs = 180_000;
const stepMs = 5000;
/** What the hops of a few steps are late by: the last one is to be short, not another step of five short ones. */
const slackMs = 2500;

/** A webhook that hangs for days would fill the log with the same line. */
const toldAgainAfterMs = 60_000;

export function createDeferrals(dependencies: DeferralDependencies): Deferrals {
  const { paces, webhookConcurrency, clock, metrics, logger } = dependencies;
  /** When each webhook was told of, the longest ago first. */
  const told = new Map<string, number>();

  const isNews = (webhookId: string, now: number): boolean => {
    for (const [id, at] of told) {
      if (now - at < toldAgainAfterMs) {
        break;
      }
      told.delete(id);
    }
    if (told.has(webhookId)) {
      return false;
    }
    told.set(webhookId, now);
    return true;
  };

  return {
    defer: ({ accountId, webhookId }, isReturn) => {
      const meanExchangeMs = paces.meanExchangeMs(webhookId);
      const waitMs = paces.untilSlotMs(webhookId, {
        intervalMs: meanExchangeMs / webhookConcurrency,
        isReturn,
      });
      const now = clock().getTime();
      metrics.deliveriesDeferred.inc();
      if (isNews(webhookId, now)) {
        logger.warn(
          { accountId, webhookId, meanExchangeMs },
          'a webhook is busy: its deliveries are deferred',
        );
      }
      const tier = tierFor(waitMs) ?? tiers[0];
      const isSpread = meanExchangeMs > slowExchangeMs && waitMs < spreadBelowMs;
      return { due: new Date(now + (isSpread ? spreadWaitMs(waitMs) : tier.delayMs)), tier };
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
