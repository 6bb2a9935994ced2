import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { startKafka } from './servers/kafka.js';
import { withLock } from './processes/lock.js';
import { startMongod } from './servers/mongod.js';
import { describeMachine, type StackEnvironment } from './system/machine.js';
import { obtainPrograms, type Programs } from './parts/programs.js';
import { identifySelf, isRunning, type ProcessHandle } from './system/processHandle.js';
import {
  removeRecord,
  serverNames,
  type ServerName,
  serversRunning,
  type StackAddresses,
  type StackRecord,
  writeRecord,
} from './processes/stackRecord.js';
import { startRedis } from './servers/redis.js';
import { settleFormerStart } from './processes/runningStack.js';
import type { FormerServer, ServerHandle, ServerHost } from './processes/serverProcess.js';
import { allOf } from './system/allOf.js';
import { createWatchdog, type Watchdog } from './processes/watchdog.js';

export type { StackAddresses } from './processes/stackRecord.js';
export { type ServerName, serverNames } from './processes/stackRecord.js';
export {
  readRunningStack,
  readStackState,
  stopDetachedStack,
  type StackState,
} from './processes/runningStack.js';
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
  /** A signal that is aborted if the servers are no longer needed before they are ready. */
  readonly givenUp?: AbortSignal;
  /** The environment variables that name this machine's programs and caches. */
  readonly environment?: StackEnvironment;
}

export interface RunningStack {
  readonly addresses: StackAddresses;
  readonly kafka: ServerHandle;
  readonly mongodb: ServerHandle;
  readonly redis: ServerHandle;
  /** The servers that have ended without a stop. */
  readonly ended: () => Promise<readonly ServerName[]>;
  /**
   * Starts the servers that have ended again, on their ports.
   * @param givenUp a signal that is aborted if the servers are no longer needed
   */
  readonly restartEnded: (givenUp: AbortSignal) => Promise<void>;
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
 * are downloaded first. The servers use the data that an earlier start left in the directory. With the lifetime
 * `until-stopped`, a start completes servers with this lifetime of which some have ended: it starts these on their former
 * ports, and does not touch the others. After an error no server runs that this call has started.
 * @throws StackError if a part is missing, a server did not start, or the servers of this directory run already. The
 * message says what to do, and contains the end of a failed server's log.
 */
export async function startStack(options: StackOptions): Promise<RunningStack> {
  const directory = resolve(options.directory);
  await mkdir(directory, { recursive: true });
  return withLock(directory, async () => {
    const former = await settleFormerStart(directory, options.lifetime === 'until-stopped');
    if (options.ephemeral === true) {
      await removeData(directory);
    }
    const environment = options.environment ?? process.env;
    const onProgress = options.onProgress ?? (() => undefined);
    const programs = await obtainPrograms(describeMachine(environment), onProgress);
    const servers = former === null ? {} : await formerServers(former);
    return startServers({ ...options, directory, environment, former: servers }, programs);
  });
}

type FormerServers = Readonly<Partial<Record<ServerName, FormerServer>>>;

interface StartOptions extends StackOptions {
  readonly environment: StackEnvironment;
  readonly former: FormerServers;
}

async function formerServers(record: StackRecord): Promise<FormerServers> {
  const { kafka, mongodb, redis } = record.addresses;
  const running = await serversRunning(record);
  const former = (name: ServerName, url: string): FormerServer => ({
    port: Number(new URL(url).port),
    running: running[name] ? record.servers[name] : null,
  });
  return {
    kafka: former('kafka', `kafka://${kafka.brokers[0] ?? ''}`),
    mongodb: former('mongodb', mongodb.url),
    redis: former('redis', redis.url),
  };
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
  const placeOf = (name: ServerName) => ({
    directory: join(options.directory, name),
    logFile: join(options.directory, 'logs', `${name}.log`),
    former: options.former[name],
  });
  const giveUp = new AbortController();
  const givenUp = AbortSignal.any([
    giveUp.signal,
    ...(options.givenUp === undefined ? [] : [options.givenUp]),
  ]);
  const together: ServerHost = { ...host, givenUp };
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
    const survivors = Object.values(options.former).map(({ running }) => running?.pid);
    const own = started
      .flatMap((start) => (start.status === 'fulfilled' ? [start.value.server] : []))
      .filter(({ pid }) => !survivors.includes(pid));
    await allOf(own.map((server) => server.stop()));
    throw error;
  }
}

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
  const ended = async () => {
    const running = await Promise.all(serverNames.map((name) => isRunning(handles[name].identity)));
    return serverNames.filter((_, index) => running[index] !== true);
  };
  return {
    addresses: addressesOf(servers),
    ...handles,
    ended,
    restartEnded: async (givenUp) => {
      await allOf((await ended()).map((name) => handles[name].restart(givenUp)));
    },
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
