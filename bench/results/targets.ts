import type { Estimate } from './estimate.js';

/** The value that a figure of the service should reach. */
export interface Target {
  /** Whether the target is for the value, or for its ratio to the value of the bare pipeline. */
  readonly of: 'value' | 'ratio';
  readonly bound: 'at least' | 'at most';
  readonly limit: number;
}

export type Verdict = 'met' | 'missed' | 'undecided' | 'not measured';

/** The share of the limit by which the worse end of the interval may be beyond the limit. */
const tolerance = 0.05;

export function atLeast(limit: number): Target {
  return { of: 'value', bound: 'at least', limit };
}

export function atMost(limit: number): Target {
  return { of: 'value', bound: 'at most', limit };
}

/** @param share of the value of the bare pipeline: 0.8 for 80 % */
export function atLeastOfBare(share: number): Target {
  return { of: 'ratio', bound: 'at least', limit: share };
}

/**
 * A target is met if the median meets it and the worse end of the interval is at most 5 % beyond the limit. It is missed if the whole
 * interval is beyond the limit. Otherwise, and without an interval, it is undecided.
 */
export function verdictOn(estimate: Estimate | null, target: Omit<Target, 'of'>): Verdict {
  if (estimate === null) {
    return 'not measured';
  }
  const { median, interval } = estimate;
  if (interval === null) {
    return 'undecided';
  }
  const { low, high } = interval;
  const [better, worse] = target.bound === 'at least' ? [high, low] : [low, high];
  if (beyond(better, target) > 0) {
    return 'missed';
  }
  const isMet = beyond(median, target) <= 0 && beyond(worse, target) <= tolerance * target.limit;
  return isMet ? 'met' : 'undecided';
}

/** How far a value is on the wrong side of the limit; negative on the right side. */
function beyond(value: number, { bound, limit }: Omit<Target, 'of'>): number {
  return bound === 'at least' ? limit - value : value - limit;
}
