import type { Endpoint } from '../fixtures/endpoint.js';
import type { LoadReport } from '../load/plans.js';
import type { DeliveredLoad, PipelineUsage } from '../measure/figures.js';
import type { PipelineOptions, RunningPipeline } from '../pipelines/pipeline.js';
import type { Receiver } from '../receiver/receiver.js';
import type { Arrivals } from '../receiver/requests.js';
import type { Sample } from '../results/report.js';
import type { ScenarioRows } from '../results/rows.js';

/** A kind of load, and the figures that are measured under it. all.ts lists the scenarios. */
export interface Scenario extends ScenarioRows {
  /** One line for the help text. */
  readonly description: string;
  /** The number of webhooks that get every event. */
  readonly webhooks: number;
  /** Whether the bare pipeline can run it. An earlier version of the service can run what the service can. */
  readonly isForBare: boolean;
  /** The number of pairs of blocks, or of blocks if only the service runs it. A single block is never repeated. */
  readonly pairs: number;
  /** The number of starts that share the pairs; one by default. Each has empty topics and an empty database. */
  readonly starts?: number;
  /** Runs once on each started pipeline, after the common warm-up. */
  readonly prepare?: (context: ScenarioContext) => Promise<unknown>;
  /**
   * Runs before a block if the pipeline was idle before, because the other one was measured; not in a quick run. An idle role returns
   * memory, and its first events after that cost more.
   */
  readonly leadIn?: (context: ScenarioContext) => Promise<unknown>;
  /** Measures one block. */
  readonly measure: (context: ScenarioContext) => Promise<readonly Sample[]>;
}

export type LoadShape =
  | { readonly loop: 'closed'; readonly connections: number }
  | { readonly loop: 'open'; readonly perSecond: number }
  | { readonly loop: 'faultTolerant'; readonly connections: number; readonly accepted: number };

/** A range of consecutive events, by their numbers. */
export interface EventNumbers {
  readonly first: number;
  readonly count: number;
}

/** The operations of a scenario on one running, warm pipeline. */
export interface ScenarioContext {
  /** Whether the block only shows that the scenario works. */
  readonly quick: boolean;
  /** Posts events and waits until each was accepted and has reached every webhook. */
  readonly deliver: (count: number, shape: LoadShape) => Promise<DeliveredLoad>;
  /** Numbers that no other event has. */
  readonly takeNumbers: (count: number) => EventNumbers;
  /** Posts events with these numbers and waits until each was answered. */
  readonly post: (numbers: EventNumbers, shape: LoadShape) => Promise<LoadReport>;
  /** The number of events that a running fault-tolerant loop has got accepted so far. */
  readonly accepted: () => Promise<number>;
  /** The arrivals so far, by webhook. */
  readonly arrivals: (numbers: EventNumbers) => Promise<readonly Arrivals[]>;
  /** Waits until all events have arrived. */
  readonly allArrivals: (numbers: EventNumbers) => Promise<readonly Arrivals[]>;
  /** For scenarios that create their own webhooks. */
  readonly receiver: Pick<Receiver, 'webhookUrl' | 'hangingUrl' | 'hang'>;
  /** Waits until all events are delivered and in the read models. */
  readonly untilDrained: () => Promise<void>;
  readonly usage: () => Promise<PipelineUsage>;
  /** Starts programs that each take all time of a core that they get. They do not count as noise. Resolves with their end. */
  readonly takeCores: (count: number) => Promise<() => Promise<void>>;
  /** The measured processes, for scenarios that stop and restart them. */
  readonly pipeline: Pick<RunningPipeline, 'processes' | 'restart'>;
  /** For scenarios that send their own requests. */
  readonly endpoint: Endpoint;
  /** For scenarios that start further processes. */
  readonly pipelineOptions: PipelineOptions;
}
