import type { Machine, Report, Result } from '../../../bench/results/result.js';

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

const machine: Machine = {
  cpu: 'Any processor',
  cores: 2,
  memoryBytes: 8 * 2 ** 30,
  system: 'Linux 6',
  versions: { Node: '20.20.0', Kafka: '4.3.0' },
};

export function reportOf(results: readonly Result[], changes: Partial<Report> = {}): Report {
  return {
    startedAt: '2026-11-21T18:00:00.000Z',
    quick: false,
    machine,
    against: null,
    results,
    failures: [],
    ...changes,
  };
}
