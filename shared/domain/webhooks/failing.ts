/** An attempt that failed. */
export interface Failure {
  readonly eventId: string;
  readonly at: Date;
  /** Whether the attempt was the last one of its schedule. */
  readonly isExhausted: boolean;
}

/** The failed attempts to a version of a webhook since the last successful one. */
export interface FailureHistory {
  /** When the first of these attempts was made; null if none is known. */
  readonly firstAt: Date | null;
  /**
   * The number of failed events: that of the first failure, that of the latest, and further ones of which an attempt has
   * failed within `failingAfterMs`. No more than `minimumEvents` are counted.
   */
  readonly events: number;
}

/** With fewer events, the events themselves could be the cause. */
export const minimumEvents = 3;

/**
 * Whether a webhook has failed throughout `failingAfterMs`, so that it is disabled. Its first failure since the last
 * success must be that old. One more failure after a long pause is not enough: either the schedule of its event is
 * exhausted, or attempts of at least three events have failed, not all of them before the pause.
 */
export function isFailing(
  latest: Failure,
  { firstAt, events }: FailureHistory,
  failingAfterMs: number,
): boolean {
  const isLong = firstAt !== null && latest.at.getTime() - firstAt.getTime() >= failingAfterMs;
  return isLong && (latest.isExhausted || events >= minimumEvents);
}
