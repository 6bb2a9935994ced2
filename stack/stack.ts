import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { startKafka } from './servers/kafka.js';
import { withLock } from './processes/lock.js';
import { startMongod } from './servers/mongod.js';
import { describeMachine, type StackEnvironment } from './system/machine.js';
import { obtainPrograms, type Programs } from './parts/programs.js';
import { identifySelf, type ProcessHandle } from './system/processHandle.js';
import { removeRecord, type StackAddresses, type StackRecord, writeRecord } from './processes/stackRecord.js';
import { startRedis } from './servers/redis.js';
import { settleFormerStart } from './processes/runningStack.js';
import type { ServerHandle, ServerHost } from './processes/serverProcess.js';
import { allOf } from './system/allOf.js';
import { createWatchdog, type Watchdog } from './processes/watchdog.js';

export type { StackAddresses } from './processes/stackRecord.js';
export { readRunningStack, stopDetachedStack } from './processes/runningStack.js';
export type { ServerHandle } from './processes/serverProcess.js';

export interface StackOptions {
  /**
   * The directory of the data, the logs, `stack.json` and the lock, which is `.postrider` in a checkout. A missing
   * directory is created.
   */
  readonly directory: string;
  /** Receives lines for the user while a part is downloaded. */
  readonly onProgress?: (line: string) => void;
  /**
   * Whether the stack starts empty and faster, and deletes its data at the end. An ephemeral stack is for tests, not
   * for measurements.
   */
  readonly ephemeral?: boolean;
  /** Whether MongoDB has fail points, with which a test delays commands or makes them fail. */
  readonly hasFailPoints?: boolean;
  /**
   * The lifetime of the servers. With `parent` (the default) the servers end when this process ends for any reason.
   * With `until-stopped` the servers run until they are stopped.
   */
  readonly lifetime?: 'parent' | 'until-stopped';
  /** The environment variables that name this machine's programs and caches. */
  readonly environment?: StackEnvironment;
}

export interface RunningStack {
  readonly addresses: StackAddresses;
  readonly kafka: ServerHandle;
  readonly mongodb: ServerHandle;
  readonly redis: ServerHandle;
  /** Stops the servers and resolves when they have ended. */
  stop: () => Promise<void>;
}

interface Servers {
  readonly kafka: { readonly brokers: string[]; readonly server: ServerHandle };
  readonly mongodb: { readonly url: string; readonly server: ServerHandle };
  readonly redis: { readonly url: string; readonly server: ServerHandle };
}

/**
 * Starts Kafka, MongoDB and Redis on free ports of 127.0.0.1 and waits until all servers are ready. Missing programs
 * are downloaded first. The servers use the data that an earlier start left in the directory. After an error no server
 * runs.
 * @throws StackError if a part is missing, a server did not start, or the servers of this directory run already. The
 * message says what to do, and contains the end of a failed server's log.
 */
export async function startStack(options: StackOptions): Promise<RunningStack> {
  const directory = resolve(options.directory);
  await mkdir(directory, { recursive: true });
  return withLock(directory, async () => {
    await settleFormerStart(directory);
    if (options.ephemeral === true) {
      await removeData(directory);
    }
    const environment = options.environment ?? process.env;
    const onProgress = options.onProgress ?? (() => undefined);
    const programs = await obtainPrograms(describeMachine(environment), onProgress);
    return startServers({ ...options, directory, environment }, programs);
  });
}

interface StartOptions extends StackOptions {
  readonly environment: StackEnvironment;
}

async function startServers(options: StartOptions, programs: Programs): Promise<RunningStack> {
  // The watchdog also guards servers with the lifetime `until-stopped`. Until all servers run, they end with this
  // process.
  const watchdog = createWatchdog();
  const saveRecord = async (servers: Servers) => {
    const owner = options.lifetime === 'until-stopped' ? null : await identifySelf();
    await writeRecord(options.directory, describe(servers, owner));
  };
  try {
    const starting: Promise<Servers> = startAll(options, programs, {
      environment: options.environment,
      watchdog,
      onRestarted: async () => saveRecord(await starting),
    });
    const servers = await starting;
    await saveRecord(servers);
    if (options.lifetime === 'until-stopped') {
      watchdog.close();
    }
    return createRunningStack(options, servers, watchdog);
  } catch (error) {
    watchdog.close();
    throw error;
  }
}

async function startAll(options: StartOptions, programs: Programs, host: ServerHost): Promise<Servers> {
  const placeOf = (name: string) => ({
    directory: join(options.directory, name),
    logFile: join(options.directory, 'logs', `${name}.log`),
  });
  const giveUp = new AbortController();
  const together: ServerHost = { ...host, givenUp: giveUp.signal };
  const starts = [
    startKafka(
      {
        ...placeOf('kafka'),
        runtime: { java: programs.java, libs: programs.kafkaLibs },
        shortLived: options.ephemeral === true,
      },
      together,
    ),
    startMongod(
      {
        ...placeOf('mongodb'),
        program: programs.mongod,
        hasFailPoints: options.hasFailPoints === true,
      },
      together,
    ),
    startRedis(
      { ...placeOf('redis'), program: programs.redisServer, persistent: options.ephemeral !== true },
      together,
    ),
  ] as const;
  try {
    const [kafka, mongodb, redis] = await Promise.all(starts);
    return { kafka, mongodb, redis };
  } catch (error) {
    // The user needs to see the first failure soon, so the other servers stop waiting.
    giveUp.abort();
    const started = await Promise.allSettled(starts);
    await allOf(started.map((start) => (start.status === 'fulfilled' ? start.value.server.stop() : noWork)));
    throw error;
  }
}

const noWork = Promise.resolve();

function describe({ kafka, mongodb, redis }: Servers, owner: ProcessHandle | null): StackRecord {
  return {
    addresses: addressesOf({ kafka, mongodb, redis }),
    owner,
    servers: {
      kafka: kafka.server.identity,
      mongodb: mongodb.server.identity,
      redis: redis.server.identity,
    },
  };
}

function addressesOf({ kafka, mongodb, redis }: Servers): StackAddresses {
  return { kafka: { brokers: kafka.brokers }, mongodb: { url: mongodb.url }, redis: { url: redis.url } };
}

function createRunningStack(options: StartOptions, servers: Servers, watchdog: Watchdog): RunningStack {
  const handles = {
    kafka: servers.kafka.server,
    mongodb: servers.mongodb.server,
    redis: servers.redis.server,
  };
  return {
    addresses: addressesOf(servers),
    ...handles,
    async stop() {
      await allOf(Object.values(handles).map((server) => server.stop()));
      watchdog.close();
      await removeRecord(options.directory);
      if (options.ephemeral === true) {
        await removeData(options.directory);
      }
    },
  };
}

async function removeData(directory: string): Promise<void> {
  const places = ['kafka', 'mongodb', 'redis'].map((name) => join(directory, name));
  await Promise.all(places.map((place) => rm(place, { recursive: true, force: true })));
}
