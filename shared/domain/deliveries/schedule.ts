const longestRetryAfterMs = 24 * 60 * 60 * 1000;
/** Jitter that spreads simultaneous failures. It only adds to a delay, so the schedule's delays are minimums. */
const largestJitter = 0.1;

export interface FailedAttempt {
  /** The number of attempts of this cycle, including the failed one. */
  readonly attemptsMade: number;
  readonly failedAt: Date;
  /** The time that the receiver has requested, or null. */
  readonly retryAfter: Date | null;
}

/**
 * When the next attempt of a cycle is due. It is after the schedule's delay and up to a tenth more, or at the
 * receiver's requested time if that is later. A requested time counts up to 24 hours after the failure. Null if the
 * schedule is exhausted.
 * @param schedule the delays between the attempts of a cycle, in milliseconds
 * @param random returns a number in [0, 1)
 */
export function nextAttempt(
  schedule: readonly number[],
  { attemptsMade, failedAt, retryAfter }: FailedAttempt,
  random: () => number,
): Date | null {
  const delayMs = schedule[attemptsMade - 1];
  if (delayMs === undefined) {
    return null;
  }
  const planned = failedAt.getTime() + Math.ceil(delayMs * (1 + largestJitter * random()));
  const asked = Math.min(retryAfter?.getTime() ?? 0, failedAt.getTime() + longestRetryAfterMs);
  return new Date(Math.max(planned, asked));
}
