import { randomBytes } from 'node:crypto';
import { join } from 'node:path';

import { loadConfig } from '../shared/settings/config.js';
import type { Releasers } from '../shared/runtime/lifecycle.js';
import { createWatchdog } from '../stack/processes/watchdog.js';
import { startLoadGenerator, type LoadGenerator } from './load/loadGenerator.js';
import type { Pipeline, PipelineOptions } from './pipelines/pipeline.js';
import type { ChildHost } from './processes/childProcess.js';
import { startReceiver, type Receiver } from './receiver/receiver.js';
import type { EventNumbers, Variant } from './scenarios/scenario.js';
import { startServers, type Servers } from './servers.js';
import { createDeploy, shareDeployments, type Deploy } from './deployment.js';

/** The servers and processes that all measurements share. */
export interface Testbed {
  readonly servers: Servers;
  /** The processes on both sides of a pipeline. They are started on demand and stay warm between measurements. */
  readonly harness: () => Promise<Harness>;
  /** Stops the harness. After a failure it may still be posting events. */
  readonly stopHarness: () => Promise<void>;
  /** Numbers that no other event has. */
  readonly takeNumbers: (count: number) => EventNumbers;
  readonly deploy: Deploy;
}

export interface Harness {
  readonly loadGenerator: LoadGenerator;
  readonly receiver: Receiver;
}

export interface TestbedOptions {
  /** The directory for CPU profiles of the pipelines' processes; null for none. */
  readonly profileDirectory: string | null;
  /** Whether measurements with equal requests share a pipeline, one after the other. */
  readonly sharesPipelines: boolean;
  readonly onProgress: (line: string) => void;
}

/** Starts the servers. The releasers stop all that is started, and a watchdog stops it if this process is killed. */
export async function startTestbed(options: TestbedOptions, releasers: Releasers): Promise<Testbed> {
  options.onProgress('Starting Kafka, MongoDB and Redis …');
  const servers = await startServers(releasers, options.onProgress);
  // It is never closed: it ends the guarded processes when this process ends.
  const watchdog = createWatchdog();
  const host = { watchdog, releasers, logDirectory: servers.directory };
  const deploy = createDeploy((pipeline, variant) =>
    pipelineOptionsOf({ servers, host, options }, pipeline, variant),
  );
  let harness: Harness | null = null;
  let next = 0;
  return {
    servers,
    harness: async () => {
      harness ??= await startHarness(host);
      return harness;
    },
    stopHarness: async () => {
      const stopped = harness;
      harness = null;
      await stopped?.loadGenerator.process.stop();
      await stopped?.receiver.process.stop();
    },
    takeNumbers: (count) => {
      const first = next;
      next += count;
      return { first, count };
    },
    deploy: options.sharesPipelines ? shareDeployments(deploy) : deploy,
  };
}

async function startHarness(host: ChildHost): Promise<Harness> {
  const [loadGenerator, receiver] = await Promise.all([startLoadGenerator(host), startReceiver(host)]);
  return { loadGenerator, receiver };
}

interface TestbedParts {
  readonly servers: Servers;
  readonly host: ChildHost;
  readonly options: TestbedOptions;
}

function pipelineOptionsOf(
  { servers, host, options }: TestbedParts,
  pipeline: Pipeline,
  variant: Variant,
): PipelineOptions {
  const { kafka, mongodb, redis } = servers.addresses;
  const name = `${pipeline.name}-${randomBytes(4).toString('hex')}`;
  const database = new URL(mongodb.url);
  database.pathname = `/${name}`;
  const environment = {
    ...pipeline.memory.environment,
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
  const profileDirectory =
    variant.isProfiled === true ? join(servers.directory, `${name}profiles`) : options.profileDirectory;
  return {
    environment,
    config: loadConfig(environment),
    deliveryProcesses: variant.deliveryProcesses ?? 1,
    nodeOptions: [...pipeline.memory.nodeOptions, ...profileOptions(profileDirectory)],
    profileDirectory,
    host,
  };
}

function profileOptions(directory: string | null): readonly string[] {
  return directory === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${directory}`];
}
