/**
 * The ladder on which planned attempts wait, shortest first: each tier is a topic of the log whose records are released
 * after its delay. No setting changes it, so that what waits is never in a topic that nobody reads.
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
 * The longest tier that is not longer than what remains, in milliseconds, so that no record is released after it is due.
 * Null below the shortest: so little is waited for in memory.
 */
export function tierFor(remainingMs: number): Tier | null {
  return tiers.findLast(({ delayMs }) => delayMs <= remainingMs) ?? null;
}
