import type { DeliveryStats } from '../api/types.js';

/** What a plot draws: a column for each bucket of the range, also for those where nothing happened. */
export interface Series {
  /** Seconds since 1970, as uPlot takes them. */
  readonly starts: readonly number[];
  readonly buckets: readonly (DeliveryStats | null)[];
}

/** Every bucket from the first to the last: the API leaves out those without anything. */
export function seriesOf(stats: readonly DeliveryStats[], from: Date, to: Date, bucketMs: number): Series {
  const known = new Map(stats.map((bucket) => [Date.parse(bucket.start), bucket]));
  const first = Math.floor(from.getTime() / bucketMs);
  const last = Math.ceil(to.getTime() / bucketMs);
  const numbers = Array.from({ length: last - first }, (_, index) => (first + index) * bucketMs);
  return {
    starts: numbers.map((start) => start / 1000),
    buckets: numbers.map((start) => known.get(start) ?? null),
  };
}
