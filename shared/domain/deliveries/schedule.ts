const longestRetryAfterMs = 24 * 60 * 60 * 1000;
/**
 * The largest jitter, as a fraction of a retry delay. Jitter spreads the retries of simultaneous failures, and never
 * shortens a delay of the schedule.
 */
const largestJitter = 0.1;

export interface FailedAttempt {
  /** The number of attempts of the cycle, including the failed attempt. */
  readonly attemptsMade: number;
  readonly failedAt: Date;
  /** The time that the receiver requested with `Retry-After`, or null. */
  readonly retryAfter: Date | null;
}

/**
 * When the next attempt of a cycle is due; null if the schedule is exhausted. The delay is the schedule's delay plus at
 * most a tenth of jitter. If the receiver requested a later time, the attempt is due at that time, but at most 24 hours
 * after the failure.
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
