import type { Machine, Report, Result } from '../../../bench/results/result.js';

interface Measured {
  readonly value: number;
  readonly run?: number;
  readonly scenario?: string;
  readonly measuredAt?: string;
}

/** What one run has shown of one figure. */
export function resultOf(
  pipeline: Result['pipeline'],
  { value, run = 1, scenario = 'throughput', measuredAt = '2026-11-21T19:00:00.000Z' }: Measured,
): Result {
  return {
    ...{ scenario, pipeline, run, measuredAt },
    commit: 'abc1234',
    figures: [{ name: 'accepted', unit: '/s', value }],
    series: [],
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
  return { startedAt: '2026-11-21T18:00:00.000Z', quick: false, machine, results, failures: [], ...changes };
}
