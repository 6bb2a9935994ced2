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

/**
 * The names and delays of the retry tiers, shortest first. A retry tier is a topic whose records are released after its
 * delay. The tiers are not a setting, because a changed setting could leave retry records in a topic without a
 * consumer.
 */
export const tiers = [
  { name: '1s', delayMs: 1000 },
  { name: '5s', delayMs: 5000 },
  { name: '30s', delayMs: 30_000 },
  { name: '3m', delayMs: 180_000 },
  { name: '20m', delayMs: 1_200_000 },
  { name: '2h', delayMs: 7_200_000 },
  { name: '12h', delayMs: 43_200_000 },
] as const;

export type Tier = (typeof tiers)[number];

/**
 * The longest tier that is not longer than the remaining time in milliseconds, so that no record is released late. The
 * result is null if less than the shortest tier remains. The delivery process then waits for the remaining time.
 */
export function tierFor(remainingMs: number): Tier | null {
  return tiers.findLast(({ delayMs }) => delayMs <= remainingMs) ?? null;
}
