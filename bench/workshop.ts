import { randomBytes } from 'node:crypto';

import { roleMemory, roleOptions } from '../cli/start/roleMemory.js';
import { loadConfig } from '../shared/settings/config.js';
import type { Releasers } from '../shared/runtime/lifecycle.js';
import { createWatchdog } from '../stack/processes/watchdog.js';
import { startLoad, type Load } from './load/load.js';
import type { Pipeline, PipelineSite } from './pipelines/pipeline.js';
import type { ChildHost } from './processes/childProcess.js';
import { startReceiver, type Receiver } from './receiver/receiver.js';
import type { EventNumbers, Variant } from './scenarios/scenario.js';
import { startServers, type Servers } from './servers.js';
import { createFreshStages, createSharedStages, type OpenStage } from './stage.js';

/** What stays the same from one measurement to the next. */
export interface Workshop {
  readonly servers: Servers;
  /** The processes on both sides of a pipeline: warm from one measurement to the next, and started where there are none. */
  readonly crew: () => Promise<Crew>;
  /** Ends them: after a failure they may still be at work. */
  readonly dismissCrew: () => Promise<void>;
  /** Numbers that no event has had. */
  readonly takeNumbers: (count: number) => EventNumbers;
  /** Starts a pipeline, or gives one that runs where measurements share them. */
  readonly openStage: OpenStage;
}

export interface Crew {
  readonly load: Load;
  readonly receiver: Receiver;
}

export interface WorkshopOptions {
  /** Where the CPU profiles of the pipelines' processes go; null for none. */
  readonly profileDirectory: string | null;
  /** Whether measurements with the same needs share a pipeline, one after the other. */
  readonly sharesPipelines: boolean;
  readonly onProgress: (line: string) => void;
}

/** Starts the servers. What is started is given to the releasers, and is gone where they have been called or this process has ended. */
export async function openWorkshop(options: WorkshopOptions, releasers: Releasers): Promise<Workshop> {
  options.onProgress('Starting Kafka, MongoDB and Redis …');
  const servers = await startServers(releasers, options.onProgress);
  // Never closed: what it still guards when this process ends, it ends too.
  const watchdog = createWatchdog();
  const host = { watchdog, releasers, logDirectory: servers.directory };
  const openFresh = createFreshStages((pipeline, variant) =>
    siteOf({ servers, host, options }, pipeline, variant),
  );
  let crew: Crew | null = null;
  let next = 0;
  return {
    servers,
    crew: async () => {
      crew ??= await startCrew(host);
      return crew;
    },
    dismissCrew: async () => {
      const dismissed = crew;
      crew = null;
      await dismissed?.load.process.stop();
      await dismissed?.receiver.process.stop();
    },
    takeNumbers: (count) => {
      const first = next;
      next += count;
      return { first, count };
    },
    openStage: options.sharesPipelines ? createSharedStages(openFresh) : openFresh,
  };
}

async function startCrew(host: ChildHost): Promise<Crew> {
  const [load, receiver] = await Promise.all([startLoad(host), startReceiver(host)]);
  return { load, receiver };
}

interface Ground {
  readonly servers: Servers;
  readonly host: ChildHost;
  readonly options: WorkshopOptions;
}

function siteOf({ servers, host, options }: Ground, pipeline: Pipeline, variant: Variant): PipelineSite {
  const { kafka, mongodb, redis } = servers.addresses;
  const name = `${pipeline.name}-${randomBytes(4).toString('hex')}`;
  const database = new URL(mongodb.url);
  database.pathname = `/${name}`;
  const environment = {
    // These and `roleOptions` are as `postrider start` and the image have them; for both pipelines.
    ...roleMemory,
    KAFKA_BROKERS: kafka.brokers.join(','),
    MONGODB_URL: database.href,
    REDIS_URL: redis.url,
    HOST: '127.0.0.1',
    PORT: '0',
    POSTRIDER_DRAIN_DELAY: '0s',
    POSTRIDER_TOPIC_PREFIX: `${name}.`,
    POSTRIDER_REPLICATION: '1',
    POSTRIDER_ENCRYPTION_KEYS: `bench:${randomBytes(32).toString('base64')}`,
    POSTRIDER_ALLOW_HTTP: 'true',
    POSTRIDER_ALLOW_PRIVATE_ADDRESSES: 'true',
    ...variant.settings,
  };
  const profile = options.profileDirectory;
  return {
    environment,
    config: loadConfig(environment),
    deliveryProcesses: variant.deliveryProcesses ?? 1,
    nodeOptions: [...roleOptions, ...(profile === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`])],
    host,
  };
}
