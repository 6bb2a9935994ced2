import { apiError, type ApiError } from '../../http/apiError.js';

export const bucketSizes = ['minute', 'hour', 'day'] as const;

export type BucketSize = (typeof bucketSizes)[number];

/** The start of the first bucket and the end of the last bucket, in milliseconds since 1970, UTC. */
export interface StatsRange {
  readonly start: number;
  readonly end: number;
  readonly bucketMs: number;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const sizesMs: Readonly<Record<BucketSize, number>> = { minute: minuteMs, hour: hourMs, day: 24 * hourMs };
/** The number of buckets of a request without `from`: an hour of minutes, a day of hours, or 30 days. */
const defaultBuckets: Readonly<Record<BucketSize, number>> = { minute: 60, hour: 24, day: 30 };
const maximumBuckets = 1500;

/** The buckets that overlap the time from `from` to the exclusive end `to`. The default end is the current time. */
export function statsRange(
  {
    from,
    to,
    bucket,
  }: { readonly from?: Date | undefined; readonly to?: Date | undefined; readonly bucket: BucketSize },
  now: Date,
): StatsRange | ApiError {
  const bucketMs = sizesMs[bucket];
  const until = (to ?? now).getTime();
  const since = from?.getTime() ?? until - defaultBuckets[bucket] * bucketMs;
  if (since >= until) {
    return apiError(
      'parameter_invalid',
      'from must be earlier than to, or earlier than now if to is missing.',
      {
        param: 'from',
      },
    );
  }
  const start = Math.floor(since / bucketMs) * bucketMs;
  const end = Math.ceil(until / bucketMs) * bucketMs;
  if ((end - start) / bucketMs > maximumBuckets) {
    const message = `bucket must be large enough that at most ${String(maximumBuckets)} buckets cover the time between from and to.`;
    return apiError('parameter_invalid', message, { param: 'bucket' });
  }
  return { start, end, bucketMs };
}
