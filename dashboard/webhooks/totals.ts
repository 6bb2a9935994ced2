import type { DeliveryStats } from '../api/types.js';

export interface Totals {
  readonly events: number;
  readonly succeeded: number;
  readonly failed: number;
  /** The last bucket with attempts. Percentiles of several buckets cannot be combined. */
  readonly latest: DeliveryStats | null;
}

export function totalsOf(buckets: readonly DeliveryStats[]): Totals {
  const sum = (count: (bucket: DeliveryStats) => number) =>
    buckets.reduce((total, bucket) => total + count(bucket), 0);
  return {
    events: sum(({ events }) => events),
    succeeded: sum(({ succeeded }) => succeeded),
    failed: sum(({ failed }) => failed),
    latest: buckets.findLast(({ p95Ms }) => p95Ms !== null) ?? null,
  };
}

const digits = 2;

/**
 * The share of successful attempts, such as `99.98 %`. The text is never 100% if an attempt failed, and a dash without
 * attempts.
 */
export function rateText(succeeded: number, failed: number): string {
  const all = succeeded + failed;
  if (all === 0) {
    return '–';
  }
  const step = 10 ** digits;
  const percent = Math.floor((succeeded / all) * 100 * step) / step;
  return `${percent} %`;
}
