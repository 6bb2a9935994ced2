import type { DeliveryAttempted } from './deliveryFacts.js';

/** The counts of events and attempts in a span of time, for a webhook or for one mode of an account. */
export interface DeliveryCounts {
  /** The number of accepted events. For a webhook, the number of events with a first attempt. */
  readonly events: number;
  /** The number of successful attempts. */
  readonly succeeded: number;
  readonly failed: number;
  /** The number of attempts by status code of the response; the key is `none` for attempts without a response. */
  readonly statusCodes: Readonly<Record<string, number>>;
  /** The durations of the attempts. */
  readonly durations: DurationHistogram;
}

export const nothingCounted: DeliveryCounts = {
  events: 0,
  succeeded: 0,
  failed: 0,
  statusCodes: {},
  durations: {},
};

export function withEvent(counts: DeliveryCounts): DeliveryCounts {
  return { ...counts, events: counts.events + 1 };
}

export function withAttempt(
  counts: DeliveryCounts,
  { outcome, statusCode, durationMs }: Pick<DeliveryAttempted, 'outcome' | 'statusCode' | 'durationMs'>,
): DeliveryCounts {
  const code = String(statusCode ?? 'none');
  return {
    ...counts,
    [outcome]: counts[outcome] + 1,
    statusCodes: { ...counts.statusCodes, [code]: (counts.statusCodes[code] ?? 0) + 1 },
    durations: withDuration(counts.durations, durationMs),
  };
}

/** The sums of the delivery counts of two spans of time. */
export function mergedCounts(one: DeliveryCounts, other: DeliveryCounts): DeliveryCounts {
  return {
    events: one.events + other.events,
    succeeded: one.succeeded + other.succeeded,
    failed: one.failed + other.failed,
    statusCodes: addedUp(one.statusCodes, other.statusCodes),
    durations: addedUp(one.durations, other.durations),
  };
}

/**
 * The counts without those of a part. Two reads may see different moments, so a part that was read later may exceed the
 * whole. Then nothing remains.
 */
export function remainingCounts(whole: DeliveryCounts, part: DeliveryCounts): DeliveryCounts {
  return {
    events: Math.max(0, whole.events - part.events),
    succeeded: Math.max(0, whole.succeeded - part.succeeded),
    failed: Math.max(0, whole.failed - part.failed),
    statusCodes: remaining(whole.statusCodes, part.statusCodes),
    durations: remaining(whole.durations, part.durations),
  };
}

function remaining(
  whole: Readonly<Record<string, number>>,
  part: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(whole)
      .map(([name, count]) => [name, count - (part[name] ?? 0)] as const)
      .filter(([, count]) => count > 0),
  );
}

function addedUp(
  one: Readonly<Record<string, number>>,
  other: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  const sums = { ...one };
  for (const [name, count] of Object.entries(other)) {
    sums[name] = (sums[name] ?? 0) + count;
  }
  return sums;
}

/**
 * The number of durations in each of 249 classes, by the number of the class. All duration histograms have the same
 * classes, so any two can be added up. Each class is 2^(1/8) (9 %) wider than its predecessor, so the error of a
 * percentile is at most 4.5 %. The first class contains all durations up to 1 ms. The last class contains the longest
 * timeout, 2^31 ms (nearly 25 days).
 */
export type DurationHistogram = Readonly<Record<string, number>>;

const classesPerDoubling = 8;
const lastClass = 248;

/** The number of the histogram class of a duration in milliseconds. */
function classOf(durationMs: number): number {
  const number = Math.ceil(classesPerDoubling * Math.log2(Math.max(durationMs, 1)));
  return Math.min(number, lastClass);
}

/** The duration that stands for a histogram class: the geometric middle of the class, in milliseconds. */
function durationOf(classNumber: number): number {
  return 2 ** ((classNumber - 0.5) / classesPerDoubling);
}

export function withDuration(histogram: DurationHistogram, durationMs: number): DurationHistogram {
  const name = String(classOf(durationMs));
  return { ...histogram, [name]: (histogram[name] ?? 0) + 1 };
}

/**
 * The percentile of a histogram in milliseconds, rounded to a tenth (nearest-rank method). The percentile of an empty
 * histogram is null.
 * @param share the percentile as a fraction from 0 to 1
 */
export function percentile(histogram: DurationHistogram, share: number): number | null {
  const classes = Object.entries(histogram)
    .map(([name, count]) => [Number(name), count] as const)
    .sort(([left], [right]) => left - right);
  const total = classes.reduce((sum, [, count]) => sum + count, 0);
  const rank = Math.max(1, Math.ceil(share * total));
  let passed = 0;
  for (const [classNumber, count] of classes) {
    passed += count;
    if (passed >= rank) {
      return Math.round(durationOf(classNumber) * 10) / 10;
    }
  }
  return null;
}
