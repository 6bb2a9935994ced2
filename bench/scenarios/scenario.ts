import type { LoadReport } from '../load/plans.js';
import type { ProcessUsage } from '../measure/processUsage.js';
import type { Arrivals } from '../receiver/questions.js';
import type { Receiver } from '../receiver/receiver.js';
import type { StoredBytes } from '../measure/storedBytes.js';
import type { PipelineName, PipelineSite, RunningPipeline } from '../pipelines/pipeline.js';
import type { Bar } from '../report/bars.js';
import type { Figure, Series } from '../report/result.js';

/** A kind of load, and what is measured under it. One a file; bench/scenarios/all.ts lists them. */
export interface Scenario {
  readonly name: string;
  /** One line for the help text and the page. */
  readonly description: string;
  /** How many webhooks get every event. */
  readonly webhooks: number;
  /** How late each of them answers; at once by default. */
  readonly answersAfterMs?: number;
  /** A webhook of the same account that gets a neighbour's events alone, and answers so late; none by default. */
  readonly neighbourAnswersAfterMs?: number;
  /** Where it can be run: everywhere by default. */
  readonly pipelines?: readonly PipelineName[];
  /** It is measured once for each of these; once, with the usual processes and settings, by default. */
  readonly variants?: readonly Variant[];
  /** What its figures must reach; nothing by default. */
  readonly bars?: readonly Bar[];
  /** The figures that the page shows as bars beside each other, all of one unit; none by default. */
  readonly plotted?: readonly string[];
  readonly measure: (bench: Bench) => Promise<readonly Figure[]>;
}

/** A pipeline that differs from the usual one. */
export interface Variant {
  /** Stands before the names of its figures. */
  readonly name: string;
  /** One by default. */
  readonly deliveryProcesses?: number;
  readonly settings?: Readonly<Record<string, string>>;
}

export type LoadShape =
  | { readonly loop: 'closed'; readonly connections: number }
  | { readonly loop: 'open'; readonly perSecond: number }
  | { readonly loop: 'stubborn'; readonly connections: number; readonly accepted: number };

/** Events that follow each other, by the numbers that they carry. */
export interface EventNumbers {
  readonly first: number;
  readonly count: number;
}

/** What a scenario works with: one pipeline that runs and is warm. */
export interface Bench {
  /** Whether the scenario is only to show that it works. */
  readonly quick: boolean;
  /** How many events wait for delivery after an outage, in the scenario that has one. */
  readonly backlogEvents: number;
  /** Posts so many events and waits until each was accepted and has reached every webhook. */
  readonly deliver: (count: number, shape: LoadShape) => Promise<DeliveredLoad>;
  /** Numbers that no other event has. */
  readonly takeNumbers: (count: number) => EventNumbers;
  /** Posts events with these numbers and waits until each was answered. */
  readonly post: (numbers: EventNumbers, shape: LoadShape) => Promise<LoadReport>;
  /** How many events were accepted so far, of a stubborn loop that runs. */
  readonly accepted: () => Promise<number>;
  /** How many of these have reached every webhook so far. */
  readonly arrived: (numbers: EventNumbers) => Promise<number>;
  /** By webhook, what has reached it so far. */
  readonly arrivals: (numbers: EventNumbers) => Promise<readonly Arrivals[]>;
  /** The same, once all have. */
  readonly allArrivals: (numbers: EventNumbers) => Promise<readonly Arrivals[]>;
  /** Posts so many events of a neighbour, and waits until each was accepted. */
  readonly postAsNeighbour: (count: number, shape: LoadShape) => Promise<void>;
  /** The webhooks that hang until they recover, for scenarios that have some. */
  readonly hanging: Pick<Receiver, 'hangingUrl' | 'recover' | 'answeredByHanging'>;
  /** Waits until nothing is left to do, in the read models either. */
  readonly untilDrained: () => Promise<void>;
  readonly usage: () => Promise<PipelineUsage>;
  /** Keeps how something went over time, for the page. */
  readonly keepSeries: (series: Series) => void;
  /** The processes that are measured, for scenarios that stop and start them. */
  readonly pipeline: Pick<RunningPipeline, 'processes' | 'begin'>;
  /** What the pipeline's topics, and the models in its database, take on the disks. */
  readonly storedBytes: () => Promise<{ readonly topics: StoredBytes; readonly models: StoredBytes }>;
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
