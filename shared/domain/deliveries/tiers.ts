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
