import type { DeliveryStats } from '../api/types.js';
import { durationText } from '../components/timeText.js';

const percentiles = { p50Ms: 0.5, p95Ms: 0.95, p99Ms: 0.99 } as const;

export type Percentile = keyof typeof percentiles;

/** The attempts of a bucket that got no response. Their durations are not response times. */
function unansweredOf({ byStatusCode }: DeliveryStats): number {
  return byStatusCode['none'] ?? 0;
}

/**
 * A percentile of the response times. An attempt without a response counts as slower than each response. The API
 * measures such an attempt until the time limit, which would look like a response at that time.
 * @returns `none` if the receiver did not respond to the attempt at the percentile, and null without attempts
 */
export function responseTime(bucket: DeliveryStats, name: Percentile): number | 'none' | null {
  const attempts = bucket.succeeded + bucket.failed;
  const rank = Math.ceil(percentiles[name] * attempts);
  return bucket[name] !== null && rank > attempts - unansweredOf(bucket) ? 'none' : bucket[name];
}

/** A percentile as text: a duration, `no response`, or a dash without attempts. */
export function responseTimeText(bucket: DeliveryStats | null, name: Percentile): string {
  const time = bucket === null ? null : responseTime(bucket, name);
  if (time === 'none') {
    return 'no response';
  }
  return time === null ? '–' : durationText(time);
}

/** The share of attempts without a response, such as `12 % of attempts got no response`, or null without any. */
export function unansweredText(bucket: DeliveryStats): string | null {
  const attempts = bucket.succeeded + bucket.failed;
  const unanswered = unansweredOf(bucket);
  if (attempts === 0 || unanswered === 0) {
    return null;
  }
  return `${Math.max(1, Math.round((unanswered / attempts) * 100))} % of attempts got no response`;
}
