import type { PipelineName } from '../pipelines/pipeline.js';

/** The values of the figures of a scenario, by the names of their rows. */
export type Sample = Readonly<Record<string, number>>;

/** The result of one block of a scenario on one pipeline. */
export interface Block {
  readonly scenario: string;
  readonly pipeline: PipelineName;
  /** Counts the starts of the measured processes, from 1. */
  readonly start: number;
  /** The number of the pair of blocks, from 1. Blocks of different pipelines with the same number are compared. */
  readonly pair: number;
  /** The share of the machine's CPU time that other programs took during the block, from 0 to 1. */
  readonly othersShare: number;
  /** The number of discarded measurements of this block, in which other programs took more CPU time. */
  readonly repeats: number;
  /** One, or several in order if the scenario divides its block. */
  readonly samples: readonly Sample[];
}

/** A measurement that was not finished. */
export interface Failure {
  readonly scenario: string;
  readonly start: number;
  readonly reason: string;
}

/** The machine and its servers, without which figures cannot be compared. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly system: string;
  /** The versions of Node and of the servers, by name. */
  readonly versions: Readonly<Record<string, string>>;
}

/** The results of one run of the benchmark. */
export interface Report {
  /** ISO 8601. */
  readonly startedAt: string;
  /** The measured commit; null outside of a checkout. */
  readonly commit: string | null;
  /** Whether the blocks were shortened. They show that everything works; their figures mean little. */
  readonly quick: boolean;
  /** The git reference of the earlier version, if the service was compared with one. */
  readonly against: string | null;
  readonly machine: Machine;
  readonly blocks: readonly Block[];
  readonly failures: readonly Failure[];
}
