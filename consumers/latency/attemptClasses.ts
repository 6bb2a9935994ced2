import type { AttemptTrigger } from '../../shared/domain/deliveries/deliveryFacts.js';

/**
 * How fast a webhook answers, as far as this process knows. A webhook whose latest exchange alone was slow is
 * `unknown`, because it may have begun to hang.
 */
export type LatencyClass = 'fast' | 'unknown' | 'slow';

export const latencyClasses: readonly LatencyClass[] = ['fast', 'unknown', 'slow'];

/**
 * The origin of an attempt: a webhook's backlog or a test delivery, an event or a resend, a retry record, or a replay. A
 * person waits for the outcome of a test delivery, so it waits no longer than the releases that are loaded.
 */
export type AttemptOrigin = 'release' | 'first' | 'retry' | 'replay';

export const attemptOrigins: readonly AttemptOrigin[] = ['first', 'retry', 'replay', 'release'];

/** The time after which an exchange is slow, in milliseconds. */
export const slowExchangeMs = 1_000;

/**
 * The attempts in flight of a webhook that hangs, and of a backlog whose attempts all fail. They notice the recovery of
 * the webhook, and occupy few slots. Each further attempt would cost a request, an outcome and a retry for nothing.
 */
export const probes = 2;

export interface AttemptOwner {
  readonly accountId: string;
  readonly webhookId: string;
  /** The tenancy of the webhook; null or missing without one. */
  readonly tenancy?: string | null;
  readonly trigger?: AttemptTrigger;
  /** The id of the attempt's replay. An attempt of a replay waits until no other attempt waits for its webhook. */
  readonly replayId?: string | null;
}
