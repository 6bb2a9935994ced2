import type { Config } from '../../shared/settings/config.js';
import type { ChildHost, ChildProcess } from '../processes/childProcess.js';

export type PipelineName = 'service' | 'bare' | 'earlier';

/** The settings of a pipeline, with its own topics and its own database on the shared servers. */
export interface PipelineOptions {
  readonly environment: Readonly<Record<string, string>>;
  /** The same settings, parsed. */
  readonly config: Config;
  /** Options for Node in each of its processes. */
  readonly nodeOptions: readonly string[];
  readonly host: ChildHost;
}

/** The memory settings of a pipeline's processes. */
export interface MemorySettings {
  readonly environment: Readonly<Record<string, string>>;
  readonly nodeOptions: readonly string[];
}

/** A system that takes events over HTTP and posts them to webhooks. */
export interface Pipeline {
  readonly name: PipelineName;
  readonly memory: MemorySettings;
  /** Starts its processes and creates webhooks with these URLs. If that fails, no process is left running. */
  readonly start: (options: PipelineOptions, webhookUrls: readonly string[]) => Promise<RunningPipeline>;
}

export interface RunningPipeline {
  /** The URL for posting events. */
  readonly eventsUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The running processes by the names of their roles. */
  readonly processes: ReadonlyMap<string, ChildProcess>;
  /** The CPU time of all processes, including those that were stopped, in milliseconds. */
  readonly cpuMs: () => Promise<number>;
  /** Starts a process again that was stopped or killed. Resolves when it runs, at the same address. */
  readonly restart: (name: string) => Promise<void>;
  /** Rejects if a process ends that the benchmark has not stopped or killed. */
  readonly crashed: Promise<never>;
  readonly stop: () => Promise<void>;
}
