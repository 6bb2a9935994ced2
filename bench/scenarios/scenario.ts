import type { Endpoint } from '../fixtures/endpoint.js';
import type { LoadReport } from '../load/plans.js';
import type { ReadReport } from '../load/reads.js';
import type { Arrivals } from '../receiver/requests.js';
import type { Receiver } from '../receiver/receiver.js';
import type { DeliveredLoad, PipelineUsage } from '../measure/figures.js';
import type { StoredBytes } from '../measure/storedBytes.js';
import type { PipelineName, PipelineOptions, RunningPipeline } from '../pipelines/pipeline.js';
import type { ScenarioDescription } from '../results/scenarioDescription.js';
import type { Figure, FlameFrame, Series } from '../results/result.js';

/** A kind of load, and the figures that are measured under it. all.ts lists the scenarios. */
export interface Scenario extends ScenarioDescription {
  /** The number of webhooks that get every event. */
  readonly webhooks: number;
  /** The response time of these webhooks; 0 by default. */
  readonly answersAfterMs?: number;
  /** The response time of a further webhook of the account, which gets only the neighbor's events; by default there is none. */
  readonly neighborAnswersAfterMs?: number;
  /** The pipelines that support it; all by default. An earlier version of the service supports what the service supports. */
  readonly pipelines?: readonly Exclude<PipelineName, 'earlier'>[];
  /** It is measured once for each variant; by default once, with the default processes and settings. */
  readonly variants?: readonly Variant[];
  /** The number of programs that take a core each during the blocks; none by default. They do not count as noise. */
  readonly takenCores?: number;
  /** The number of pairs of blocks, or of blocks if only the service supports it; 10 by default. */
  readonly pairs?: number;
  /** After so many pairs the processes start again, with empty topics and an empty database; 5 by default. */
  readonly pairsPerStart?: number;
  /** Runs once on each started pipeline, after the common warm-up. */
  readonly warmUp?: (context: ScenarioContext) => Promise<unknown>;
  /**
   * Runs before a block if the pipeline was idle before, because the other one was measured. An idle role returns memory, and its first
   * events after that cost more.
   */
  readonly leadIn?: (context: ScenarioContext) => Promise<unknown>;
  /** Measures one block. */
  readonly measure: (context: ScenarioContext) => Promise<readonly Figure[]>;
}

/** Settings that differ from the default ones. */
export interface Variant {
  /** The prefix of the names of its figures. */
  readonly name: string;
  /** One by default. */
  readonly deliveryProcesses?: number;
  readonly settings?: Readonly<Record<string, string>>;
  /** Whether each process writes a CPU profile when it ends; it does not by default. */
  readonly isProfiled?: boolean;
}

export type LoadShape =
  | { readonly loop: 'closed'; readonly connections: number }
  | { readonly loop: 'batches'; readonly connections: number; readonly size: number }
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
  /** The number of events that are pending after the outage of the scenario `backlog`. */
  readonly backlogEvents: number;
  /** The number of tenants of the large account of the scenario `tenants`. */
  readonly tenants: number;
  /** Posts events and waits until each was accepted and has reached every webhook. */
  readonly deliver: (count: number, shape: LoadShape) => Promise<DeliveredLoad>;
  /** Numbers that no other event has. */
  readonly takeNumbers: (count: number) => EventNumbers;
  /** Posts events with these numbers and waits until each was answered. */
  readonly post: (numbers: EventNumbers, shape: LoadShape) => Promise<LoadReport>;
  /** The number of events that a running fault-tolerant loop has got accepted so far. */
  readonly accepted: () => Promise<number>;
  /** The number of these events that have reached every webhook so far. */
  readonly arrived: (numbers: EventNumbers) => Promise<number>;
  /** The arrivals so far, by webhook. */
  readonly arrivals: (numbers: EventNumbers) => Promise<readonly Arrivals[]>;
  /** Waits until all events have arrived. */
  readonly allArrivals: (numbers: EventNumbers) => Promise<readonly Arrivals[]>;
  /** Posts events of the neighbor and waits until each was accepted. */
  readonly postAsNeighbor: (count: number, shape: LoadShape) => Promise<void>;
  /** Reads a resource at a constant rate, in the process that posts events. */
  readonly read: (url: string, count: number, perSecond: number) => Promise<ReadReport>;
  /** The URL at which the arrivals at a webhook are counted, by the number of the webhook. */
  readonly webhookUrl: (webhook: number) => string;
  /** The webhooks that hang until they recover. */
  readonly hanging: Pick<Receiver, 'hangingUrl' | 'recover' | 'answeredByHanging'>;
  /** Waits until all events are delivered and in the read models. */
  readonly untilDrained: () => Promise<void>;
  readonly usage: () => Promise<PipelineUsage>;
  /** Adds a series to the result, for the page. */
  readonly keepSeries: (series: Series) => void;
  /** Adds a flame graph to the result, for the page. */
  readonly keepFlameGraph: (frames: readonly FlameFrame[]) => void;
  /** The measured processes, for scenarios that stop and restart them. */
  readonly pipeline: Pick<RunningPipeline, 'processes' | 'restart'>;
  /** The disk usage of the pipeline's topics and models. */
  readonly storedBytes: () => Promise<{ readonly topics: StoredBytes; readonly models: StoredBytes }>;
  /** For scenarios that send their own requests. */
  readonly endpoint: Endpoint;
  /** For scenarios that start further processes. */
  readonly pipelineOptions: PipelineOptions;
}
