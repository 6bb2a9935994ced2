import type { Unit } from './result.js';
import type { SummaryRow } from './summary.js';

/** What a figure of the service must reach. */
export interface Bar {
  /** By its name. */
  readonly figure: string;
  /** Whether its value is bounded, or that divided by the bare pipeline's. */
  readonly of: 'value' | 'ratio';
  readonly bound: 'at least' | 'at most';
  readonly limit: number;
  readonly unit: Unit;
}

export type Verdict = 'met' | 'not met' | 'not measured';

export interface JudgedBar extends Bar {
  /** The median, or the ratio of the medians; null where it was not measured. */
  readonly value: number | null;
  readonly verdict: Verdict;
}

export function atLeast(figure: string, limit: number, unit: Unit): Bar {
  return { figure, of: 'value', bound: 'at least', limit, unit };
}

export function atMost(figure: string, limit: number, unit: Unit): Bar {
  return { figure, of: 'value', bound: 'at most', limit, unit };
}

/** @param share of what the bare pipeline has in the same run: 0.8 for 80 % */
export function atLeastOfBare(figure: string, share: number): Bar {
  return { figure, of: 'ratio', bound: 'at least', limit: share, unit: '×' };
}

/** Holds the medians against the bars. */
export function judge(bars: readonly Bar[], rows: readonly SummaryRow[]): readonly JudgedBar[] {
  return bars.map((bar) => {
    const row = rows.find(({ name }) => name === bar.figure);
    const value = bar.of === 'ratio' ? (row?.ratio ?? null) : (row?.service?.median ?? null);
    return { ...bar, value, verdict: verdictOn(value, bar) };
  });
}

function verdictOn(value: number | null, { bound, limit }: Bar): Verdict {
  if (value === null) {
    return 'not measured';
  }
  return (bound === 'at least' ? value >= limit : value <= limit) ? 'met' : 'not met';
}
