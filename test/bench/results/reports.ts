import type { Block, Report } from '../../../bench/results/report.js';

interface Measured extends Partial<Pick<Block, 'pair' | 'start' | 'othersShare' | 'repeats'>> {
  readonly value: number;
}

/** A block with one value of the figure `accepted`. */
export function blockOf(pipeline: Block['pipeline'], { value, ...block }: Measured): Block {
  const defaults = { scenario: 'throughput', pair: 1, start: 1, othersShare: 0, repeats: 0 };
  return { ...defaults, ...block, pipeline, samples: [{ accepted: value }] };
}

export const emptyReport: Report = {
  startedAt: '2026-11-21T19:00:00.000Z',
  commit: 'abc1234',
  quick: false,
  against: null,
  machine: { cpu: 'Processor', cores: 2, memoryBytes: 2 ** 34, system: 'Linux', versions: { Node: '24' } },
  blocks: [],
  failures: [],
};
