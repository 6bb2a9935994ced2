import type { Result } from '../../../bench/results/result.js';

interface Measured {
  readonly value: number;
  readonly pair?: number;
  readonly start?: number;
  readonly scenario?: string;
  readonly measuredAt?: string;
}

/** The value of one figure in one block. */
export function resultOf(
  pipeline: Result['pipeline'],
  { value, pair = 1, start = 1, scenario = 'throughput', measuredAt = '2026-11-21T19:00:00.000Z' }: Measured,
): Result {
  return {
    ...{ scenario, pipeline, pair, start, measuredAt, repeats: 0 },
    commit: 'abc1234',
    figures: [{ name: 'accepted', unit: '/s', value }],
    series: [],
    flameGraph: [],
    othersShare: 0,
  };
}
