import type { DeliveryStats } from '../api/types.js';

/**
 * The data of a plot, with one entry for each bucket of the time range. A bucket without attempts also has an entry.
 */
export interface Series {
  /** The start of each bucket in seconds since 1970, as uPlot expects. */
  readonly starts: readonly number[];
  readonly buckets: readonly (DeliveryStats | null)[];
}

/** All buckets of the time range, because the API omits empty buckets. */
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
