import type { DeliveryAttempted } from './delivery.js';
import { withDuration, type DurationHistogram } from './durationHistogram.js';

/** What happened in one span of time, in an account and mode or at one of its webhooks. */
export interface DeliveryCounts {
  /** Events that were accepted; of a webhook, events that it was tried with for the first time. */
  readonly events: number;
  /** Attempts, by their outcome. */
  readonly succeeded: number;
  readonly failed: number;
  /** Attempts by the status code of the answer; `none` where none came. */
  readonly statusCodes: Readonly<Record<string, number>>;
  /** How long each attempt took. */
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

/** What happened in two spans of time together. */
export function mergedCounts(one: DeliveryCounts, other: DeliveryCounts): DeliveryCounts {
  return {
    events: one.events + other.events,
    succeeded: one.succeeded + other.succeeded,
    failed: one.failed + other.failed,
    statusCodes: addedUp(one.statusCodes, other.statusCodes),
    durations: addedUp(one.durations, other.durations),
  };
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
