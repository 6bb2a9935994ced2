import type { PipelineName } from '../pipelines/pipeline.js';

/** One thing that was measured. */
export interface Figure {
  readonly name: string;
  readonly unit: '/s' | 'ms' | 'MB' | '×' | '% of a core';
  readonly value: number;
}

/** What one run of a scenario on one pipeline has shown. */
export interface Result {
  readonly scenario: string;
  readonly pipeline: PipelineName;
  /** Counts from 1. */
  readonly run: number;
  readonly figures: readonly Figure[];
  /** What programs that have no part in it took of the machine's processors meanwhile: from 0 to 1. */
  readonly othersShare: number;
}

/** The machine and its load are part of every figure. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly node: string;
}

/** All that a call of the benchmark has come to. */
export interface Report {
  readonly startedAt: string;
  /** Shortened: it shows that all works, its figures mean little. */
  readonly quick: boolean;
  readonly machine: Machine;
  readonly results: readonly Result[];
}
