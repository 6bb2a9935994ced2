const longestRetryAfterMs = 24 * 60 * 60 * 1000;
/** Spreads what failed together; always later, so that the schedule's delays are the least. */
const largestJitter = 0.1;

export interface FailedAttempt {
  /** How many attempts of this cycle were made, with the one that failed. */
  readonly attemptsMade: number;
  readonly failedAt: Date;
  /** When the receiver has asked to be called again, or null. */
  readonly retryAfter: Date | null;
}

/**
 * When the next attempt of a cycle is due: after the schedule's delay for it and up to a tenth more, or when the receiver
 * has asked for it, where that is later, but at most 24 hours after the failure for the receiver's sake.
 * Null where the schedule is used up.
 * @param schedule the delays between the attempts of a cycle, in milliseconds
 * @param random gives a number in [0, 1)
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
