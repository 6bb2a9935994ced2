import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Releasers } from '../shared/runtime/lifecycle.js';
import { loadConfig } from '../shared/settings/config.js';
import { createWatchdog } from '../stack/processes/watchdog.js';
import { startStack, type RunningStack } from '../stack/stack.js';
import { startLoadGenerator, type LoadGenerator } from './load/loadGenerator.js';
import type { Pipeline, PipelineOptions } from './pipelines/pipeline.js';
import type { ChildHost } from './processes/childProcess.js';
import { startReceiver, type Receiver } from './receiver/receiver.js';
import type { EventNumbers } from './scenarios/scenario.js';

/** The servers and processes that all measurements share. */
export interface Testbed {
  readonly host: ChildHost;
  readonly brokers: readonly string[];
  /** The pids of the servers, by name. */
  readonly serverPids: ReadonlyMap<string, number>;
  /** The processes on both sides of a pipeline. They are started on demand and stay warm between measurements. */
  readonly harness: () => Promise<Harness>;
  /** Stops the harness. After a failure it may still be posting events. */
  readonly stopHarness: () => Promise<void>;
  /** Numbers that no other event has. */
  readonly takeNumbers: (count: number) => EventNumbers;
  /** Settings of a pipeline with new topics and a new database. */
  readonly optionsOf: (pipeline: Pipeline) => PipelineOptions;
}

export interface Harness {
  readonly loadGenerator: LoadGenerator;
  readonly receiver: Receiver;
}

/**
 * Starts Kafka, MongoDB and Redis as the local stack does. The releasers stop all that is started and delete its data. A watchdog stops
 * it if this process is killed.
 */
export async function startTestbed(
  releasers: Releasers,
  onProgress: (line: string) => void,
): Promise<Testbed> {
  onProgress('Starting Kafka, MongoDB and Redis …');
  const directory = await mkdtemp(join(tmpdir(), 'postrider-bench-'));
  releasers.add('directory', () => rm(directory, { recursive: true, force: true }));
  // Not `ephemeral`: such servers start faster and run slower.
  const stack = await startStack({ directory, onProgress });
  releasers.add('servers', stack.stop);
  // The watchdog is never closed: it ends the guarded processes when this process ends.
  const host = { watchdog: createWatchdog(), releasers, logDirectory: directory };
  let harness: Harness | null = null;
  let next = 0;
  return {
    host,
    brokers: stack.addresses.kafka.brokers,
    serverPids: new Map([stack.kafka, stack.mongodb, stack.redis].map(({ name, pid }) => [name, pid])),
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
    optionsOf: (pipeline) => optionsOf(pipeline, stack.addresses, host),
  };
}

async function startHarness(host: ChildHost): Promise<Harness> {
  const [loadGenerator, receiver] = await Promise.all([startLoadGenerator(host), startReceiver(host)]);
  return { loadGenerator, receiver };
}

function optionsOf(
  pipeline: Pipeline,
  { kafka, mongodb, redis }: RunningStack['addresses'],
  host: ChildHost,
): PipelineOptions {
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
  };
  const { nodeOptions } = pipeline.memory;
  return { environment, config: loadConfig(environment), nodeOptions, host };
}
