import type { Estimate, Interval } from './estimate.js';
import type { Unit } from './result.js';
import type { SummaryRow } from './summary.js';

/** The value that a figure of the service should reach. */
export interface Target {
  /** The name of the figure. */
  readonly figure: string;
  /** Whether the target is for the value, or for its ratio to the value of the bare pipeline. */
  readonly of: 'value' | 'ratio';
  readonly bound: 'at least' | 'at most';
  readonly limit: number;
  readonly unit: Unit;
}

export type Verdict = 'met' | 'missed' | 'undecided' | 'not measured';

export interface JudgedTarget extends Target {
  /** Of the value or of the ratio; null if it was not measured. */
  readonly estimate: Estimate | null;
  readonly verdict: Verdict;
}

/** The share of the limit by which the worse end of the interval may be beyond the limit. */
const tolerance = 0.05;

export function atLeast(figure: string, limit: number, unit: Unit): Target {
  return { figure, of: 'value', bound: 'at least', limit, unit };
}

export function atMost(figure: string, limit: number, unit: Unit): Target {
  return { figure, of: 'value', bound: 'at most', limit, unit };
}

/** @param share of the value of the bare pipeline: 0.8 for 80 % */
export function atLeastOfBare(figure: string, share: number): Target {
  return { figure, of: 'ratio', bound: 'at least', limit: share, unit: '×' };
}

/** Compares the estimates with the targets. */
export function judge(targets: readonly Target[], rows: readonly SummaryRow[]): readonly JudgedTarget[] {
  return targets.map((target) => {
    const row = rows.find(({ name }) => name === target.figure);
    const estimate = (target.of === 'ratio' ? row?.ratio : row?.service) ?? null;
    return { ...target, estimate, verdict: verdictOn(estimate, target) };
  });
}

/**
 * A target is met if the median meets it and the worse end of the interval is at most 5 % beyond the limit. It is missed if the whole
 * interval is beyond the limit.
 */
export function verdictOn(estimate: Estimate | null, target: Pick<Target, 'bound' | 'limit'>): Verdict {
  if (estimate === null) {
    return 'not measured';
  }
  const { median, interval } = estimate;
  if (interval === null) {
    return 'undecided';
  }
  const { better, worse } = endsOf(interval, target);
  if (beyond(better, target) > 0) {
    return 'missed';
  }
  const isMet = beyond(median, target) <= 0 && beyond(worse, target) <= tolerance * target.limit;
  return isMet ? 'met' : 'undecided';
}

function endsOf({ low, high }: Interval, { bound }: Pick<Target, 'bound'>) {
  return bound === 'at least' ? { better: high, worse: low } : { better: low, worse: high };
}

/** How far a value is on the wrong side of the limit; negative on the right side. */
function beyond(value: number, { bound, limit }: Pick<Target, 'bound' | 'limit'>): number {
  return bound === 'at least' ? limit - value : value - limit;
}
