import type { Config } from '../../shared/settings/config.js';
import type { ChildHost, ChildProcess } from '../processes/childProcess.js';

export type PipelineName = 'bare' | 'service';

/** Where a pipeline is to run: servers, topics and a database of its own. */
export interface PipelineSite {
  readonly environment: Readonly<Record<string, string>>;
  /** The same settings, read. */
  readonly config: Config;
  /** How many processes have the role that delivers; each other role has one. */
  readonly deliveryProcesses: number;
  /** Options for Node in each of its processes. */
  readonly nodeOptions: readonly string[];
  readonly host: ChildHost;
}

export interface PipelineWebhook {
  readonly url: string;
  /** The type of the events that it gets. */
  readonly eventType: string;
}

/** Something that takes events over HTTP and posts them to webhooks. */
export interface Pipeline {
  readonly name: PipelineName;
  /** Starts its processes, with events going to the webhooks. Nothing is left running where it fails. */
  readonly start: (site: PipelineSite, webhooks: readonly PipelineWebhook[]) => Promise<RunningPipeline>;
}

export interface RunningPipeline {
  /** Where events are posted. */
  readonly eventsUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  /** By name: the role's, and a number behind it where others have the same role. Those that run now. */
  readonly processes: ReadonlyMap<string, ChildProcess>;
  /** What all that ever ran have used, in milliseconds of processor time. */
  readonly cpuMs: () => Promise<number>;
  /** Starts a process anew that was stopped or killed; resolves when it runs, at the address that it had. */
  readonly begin: (name: string) => Promise<void>;
  /** Rejects where a process ends that nobody has stopped or killed. */
  readonly lost: Promise<never>;
  readonly stop: () => Promise<void>;
}
