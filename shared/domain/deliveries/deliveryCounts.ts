import type { DeliveryAttempted } from './deliveryFacts.js';
import { withDuration, type DurationHistogram } from './durationHistogram.js';

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
