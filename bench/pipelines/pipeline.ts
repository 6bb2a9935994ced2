import type { Config } from '../../shared/config.js';
import type { ChildHost, ChildProcess } from '../processes/childProcess.js';

export type PipelineName = 'bare' | 'service';

/** Where a pipeline is to run: servers, topics and a database of its own. */
export interface PipelineSite {
  readonly environment: Readonly<Record<string, string>>;
  /** The same settings, read. */
  readonly config: Config;
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
  /** By role. */
  readonly processes: ReadonlyMap<string, ChildProcess>;
  readonly stop: () => Promise<void>;
}
