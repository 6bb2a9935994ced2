const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

export interface Range {
  readonly text: string;
  readonly lengthMs: number;
  readonly bucket: 'minute' | 'hour' | 'day';
  readonly bucketMs: number;
}

export const ranges = {
  minute: { text: '1 min', lengthMs: minuteMs, bucket: 'minute', bucketMs: minuteMs },
  hour: { text: '1 hour', lengthMs: hourMs, bucket: 'minute', bucketMs: minuteMs },
  day: { text: '24 hours', lengthMs: dayMs, bucket: 'hour', bucketMs: hourMs },
  week: { text: '7 days', lengthMs: 7 * dayMs, bucket: 'hour', bucketMs: hourMs },
  month: { text: '30 days', lengthMs: 30 * dayMs, bucket: 'day', bucketMs: dayMs },
} as const satisfies Readonly<Record<string, Range>>;

export type RangeName = keyof typeof ranges;

export const rangeNames: readonly RangeName[] = ['minute', 'hour', 'day', 'week', 'month'];

/** The time range in the address, by default 24 hours. */
export function rangeNameOf(text: string | null): RangeName {
  return rangeNames.find((name) => name === text) ?? 'day';
}
