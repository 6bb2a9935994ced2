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

export type Verdict = 'met' | 'not met' | 'not measured';

export interface JudgedTarget extends Target {
  /** The median, or the ratio of the medians; null if it was not measured. */
  readonly value: number | null;
  readonly verdict: Verdict;
}

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

/** Compares the medians with the targets. */
export function judge(targets: readonly Target[], rows: readonly SummaryRow[]): readonly JudgedTarget[] {
  return targets.map((target) => {
    const row = rows.find(({ name }) => name === target.figure);
    const value = target.of === 'ratio' ? (row?.ratio ?? null) : (row?.service?.median ?? null);
    return { ...target, value, verdict: verdictOn(value, target) };
  });
}

function verdictOn(value: number | null, { bound, limit }: Target): Verdict {
  if (value === null) {
    return 'not measured';
  }
  return (bound === 'at least' ? value >= limit : value <= limit) ? 'met' : 'not met';
}
