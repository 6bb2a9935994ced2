/**
 * How fast a webhook answers, as far as this process knows. `unknown` also covers a webhook whose latest exchange was slow
 * although most were not: it may be about to hang.
 */
export type LatencyClass = 'fast' | 'unknown' | 'slow';

export const latencyClasses: readonly LatencyClass[] = ['fast', 'unknown', 'slow'];

/** Where an attempt comes from: an event or a resend, a record of a tier, or a replay. */
export type AttemptOrigin = 'first' | 'retry' | 'replay';

export const attemptOrigins: readonly AttemptOrigin[] = ['first', 'retry', 'replay'];

/** An exchange that takes longer is slow. */
export const slowExchangeMs = 1_000;

/** Whose attempt it is. */
export interface AttemptOwner {
  readonly accountId: string;
  readonly webhookId: string;
  /** Set on attempts of a replay, which wait until no other attempt waits for the webhook. */
  readonly replayId?: string | null;
}
