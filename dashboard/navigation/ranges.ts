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
  quarter: { text: '90 days', lengthMs: 90 * dayMs, bucket: 'day', bucketMs: dayMs },
} as const satisfies Readonly<Record<string, Range>>;

export type RangeName = keyof typeof ranges;

/** The values of `within` in an address that select a custom time range: a range, or everything before a time. */
export const ownRange = 'own';
export const jumpRange = 'jump';

/** Whether `within` in an address has a meaning. */
export function isWithin(text: string): boolean {
  return text === ownRange || text === jumpRange || knownRange(text) !== null;
}

export const rangeNames: readonly RangeName[] = ['minute', 'hour', 'day', 'week', 'month', 'quarter'];

/** The time range with a name in an address, or null if no range has the name. */
export function knownRange(text: string | null): RangeName | null {
  return rangeNames.find((name) => name === text) ?? null;
}
