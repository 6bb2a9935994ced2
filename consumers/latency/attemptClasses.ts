/**
 * How fast a webhook answers, as far as this process knows. A webhook whose latest exchange alone was slow is
 * `unknown`, because it may have begun to hang.
 */
export type LatencyClass = 'fast' | 'unknown' | 'slow';

export const latencyClasses: readonly LatencyClass[] = ['fast', 'unknown', 'slow'];

/** The origin of an attempt: an event or a resend, a retry record, or a replay. */
export type AttemptOrigin = 'first' | 'retry' | 'replay';

export const attemptOrigins: readonly AttemptOrigin[] = ['first', 'retry', 'replay'];

/** The time after which an exchange is slow, in milliseconds. */
export const slowExchangeMs = 1_000;

export interface AttemptOwner {
  readonly accountId: string;
  readonly webhookId: string;
  /** The id of the attempt's replay. An attempt of a replay waits until no other attempt waits for its webhook. */
  readonly replayId?: string | null;
}
