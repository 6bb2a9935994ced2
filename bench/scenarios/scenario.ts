import type { Load } from '../load/load.js';
import type { LoadReport } from '../load/plans.js';
import type { Arrivals } from '../receiver/questions.js';
import type { Figure } from '../report/result.js';

/** A kind of load, and what is measured under it. One a file; bench/scenarios/all.ts lists them. */
export interface Scenario {
  readonly name: string;
  /** One line for the help text. */
  readonly description: string;
  /** How many webhooks get every event. */
  readonly webhooks: number;
  readonly measure: (bench: Bench) => Promise<readonly Figure[]>;
}

type LoadShape =
  | { readonly loop: 'closed'; readonly connections: number }
  | { readonly loop: 'open'; readonly perSecond: number };

/** What a scenario works with: one pipeline that runs and is warm. */
export interface Bench {
  /** Whether the scenario is only to show that it works. */
  readonly quick: boolean;
  /** Posts so many events and waits until each has been accepted and has arrived. */
  readonly deliver: (count: number, shape: LoadShape) => Promise<DeliveredLoad>;
  /** Waits until nothing is left to do, in the read models either. */
  readonly untilDrained: () => Promise<void>;
  readonly usage: () => Promise<PipelineUsage>;
}

export interface DeliveredLoad {
  readonly report: Awaited<ReturnType<Load['run']>> & LoadReport;
  /** By webhook. */
  readonly arrivals: readonly Arrivals[];
}

export interface PipelineUsage {
  /** Of the pipeline's own processes, in milliseconds since their start. */
  readonly ownCpuMs: number;
  readonly ownCpuMsByProcess: ReadonlyMap<string, number>;
  /** Of Kafka, MongoDB and Redis. */
  readonly serversCpuMs: number;
  readonly ownPeakMemoryBytes: number;
}
