import type { LoadReport } from '../load/plans.js';
import type { ProcessUsage } from '../measure/processUsage.js';
import type { Arrivals } from '../receiver/questions.js';
import type { PipelineName, PipelineSite } from '../pipelines/pipeline.js';
import type { Figure } from '../report/result.js';

/** A kind of load, and what is measured under it. One a file; bench/scenarios/all.ts lists them. */
export interface Scenario {
  readonly name: string;
  /** One line for the help text. */
  readonly description: string;
  /** How many webhooks get every event. */
  readonly webhooks: number;
  /** A webhook of the same account that gets a neighbour's events alone, and answers so late; none by default. */
  readonly neighbourAnswersAfterMs?: number;
  /** Where it can be run: everywhere by default. */
  readonly pipelines?: readonly PipelineName[];
  readonly measure: (bench: Bench) => Promise<readonly Figure[]>;
}

export type LoadShape =
  | { readonly loop: 'closed'; readonly connections: number }
  | { readonly loop: 'open'; readonly perSecond: number };

/** What a scenario works with: one pipeline that runs and is warm. */
export interface Bench {
  /** Whether the scenario is only to show that it works. */
  readonly quick: boolean;
  /** Posts so many events and waits until each was accepted and has reached every webhook. */
  readonly deliver: (count: number, shape: LoadShape) => Promise<DeliveredLoad>;
  /** Posts so many events of a neighbour, and waits until each was accepted. */
  readonly postAsNeighbour: (count: number, shape: LoadShape) => Promise<void>;
  /** Waits until nothing is left to do, in the read models either. */
  readonly untilDrained: () => Promise<void>;
  readonly usage: () => Promise<PipelineUsage>;
  /** What is measured, for scenarios that talk to it by themselves. */
  readonly target: Target;
  /** Where it runs, for scenarios that start something beside it. */
  readonly site: PipelineSite;
}

export interface Target {
  /** Where events are posted and listed. */
  readonly eventsUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly mongodbUrl: string;
}

export interface DeliveredLoad {
  readonly report: LoadReport;
  /** By webhook. */
  readonly arrivals: readonly Arrivals[];
}

/** What the processes have used since their start, by their names. */
export interface PipelineUsage {
  readonly own: UsageByProcess;
  /** Kafka, MongoDB and Redis, which the pipelines share. */
  readonly servers: UsageByProcess;
}

export type UsageByProcess = ReadonlyMap<string, ProcessUsage>;
