import type { DeliveryStats } from '../api/types.js';

/** The data of a plot, with a column for each bucket of the range, including empty ones. */
export interface Series {
  /** Seconds since 1970, as uPlot expects them. */
  readonly starts: readonly number[];
  readonly buckets: readonly (DeliveryStats | null)[];
}

/** All buckets of the range, because the API omits empty ones. */
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
