import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Redis } from 'ioredis';

import { obtainPrograms } from '../../../../stack/parts/programs.js';
import {
  startServerProcess,
  type ServerHandle,
  type ServerHost,
} from '../../../../stack/processes/serverProcess.js';
import { createWatchdog } from '../../../../stack/processes/watchdog.js';
import { describeMachine } from '../../../../stack/system/machine.js';
import { isListening, loopback, withFreePorts } from '../../../../stack/system/ports.js';
import { until } from '../../../../stack/system/polling.js';
import { eventually } from '../../../support/eventually.js';

interface Place {
  readonly program: string;
  readonly directory: string;
  readonly host: ServerHost;
}

/** The nodes of a cluster, each the master of a part of the hash slots. */
export interface RedisCluster {
  readonly ports: readonly number[];
  readonly stop: () => Promise<void>;
}

/** A master, its replica, and the Sentinel that promotes the replica if the master fails. */
export interface RedisSentinel {
  readonly sentinelPort: number;
  readonly master: string;
  readonly killMaster: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

const slotCount = 16_384;
const masterName = 'postrider-master';
const busOffset = 10_000;

/**
 * Starts a cluster.
 * @param password the password of clients and nodes
 * @param announce the port that clients connect to, for the port of a node
 */
export async function startRedisCluster(
  password: string,
  announce: (port: number) => Promise<number> = (port) => Promise.resolve(port),
): Promise<RedisCluster> {
  const { place, close } = await openPlace();
  return withFreePorts(3, async (ports) => {
    const nodes = await allOrNone(
      ports.map(async (port) =>
        startNode(place, port, [
          ...['--cluster-enabled', 'yes', '--cluster-node-timeout', '2000'],
          ...['--cluster-announce-port', String(await announce(port))],
          ...['--cluster-announce-bus-port', String(port + busOffset)],
          ...['--requirepass', password, '--masterauth', password],
        ]),
      ),
    );
    await Promise.all(ports.map((port, index) => assignSlots({ port, password, index, ports })));
    await Promise.all(
      ports.map((port) => eventually('a complete cluster', () => isComplete(port, password))),
    );
    return { ports, stop: () => stopAll(nodes, close) };
  });
}

/** @param password the password of clients and servers */
export async function startRedisSentinel(password: string): Promise<RedisSentinel> {
  const { place, close } = await openPlace();
  return withFreePorts(3, async ([masterPort = 0, replicaPort = 0, sentinelPort = 0]) => {
    const login = ['--requirepass', password, '--masterauth', password];
    const [master, replica] = await allOrNone([
      startNode(place, masterPort, login),
      startNode(place, replicaPort, [...login, '--replicaof', loopback, String(masterPort)]),
    ]);
    // A Sentinel looks for replicas only every 10 s.
    await eventually('a replica that follows', () =>
      withAdministrator({ port: replicaPort, password }, async (redis) =>
        (await redis.info('replication')).includes('master_link_status:up') ? true : null,
      ),
    );
    const sentinel = await startSentinel(place, sentinelPort, { masterPort, password });
    await eventually('a Sentinel that knows the replica', () =>
      withAdministrator({ port: sentinelPort, password }, async (redis) => {
        const replicas = await redis.call('SENTINEL', 'replicas', masterName);
        return JSON.stringify(replicas).includes('"slave"') ? true : null;
      }),
    );
    return {
      sentinelPort,
      master: masterName,
      killMaster: () => master.kill(),
      stop: () => stopAll([sentinel, master, replica], close),
    };
  });
}

async function openPlace(): Promise<{ place: Place; close: () => Promise<void> }> {
  const { redisServer: program } = await obtainPrograms(describeMachine(process.env));
  const directory = await mkdtemp(join(tmpdir(), 'postrider-redis-nodes-'));
  const watchdog = createWatchdog();
  return {
    place: { program, directory, host: { environment: process.env, watchdog } },
    close: async () => {
      watchdog.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function startNode(
  { program, directory, host }: Place,
  port: number,
  args: readonly string[],
): Promise<ServerHandle> {
  const data = join(directory, String(port));
  await mkdir(data);
  return startServerProcess(
    {
      name: `Redis ${port}`,
      program,
      args: [
        ...['--bind', loopback, '--port', String(port), '--dir', data],
        ...['--save', '', '--appendonly', 'no', ...args],
      ],
      logFile: join(directory, `${port}.log`),
      whenReady: async (_pid, signal) => {
        await until(() => isListening(port), { timeoutMs: Infinity, signal });
      },
    },
    host,
  );
}

/** Ends the servers that have started if another one fails to start, because the caller starts all of them again. */
async function allOrNone<const Starts extends readonly Promise<ServerHandle>[]>(
  starts: Starts,
): Promise<{ -readonly [Index in keyof Starts]: ServerHandle }> {
  try {
    return await Promise.all(starts);
  } catch (error) {
    const results = await Promise.allSettled(starts);
    const running = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    await Promise.all(running.map((server) => server.kill()));
    throw error;
  }
}

async function startSentinel(
  { program, directory, host }: Place,
  port: number,
  { masterPort, password }: { masterPort: number; password: string },
): Promise<ServerHandle> {
  const file = join(directory, 'sentinel.conf');
  await writeFile(
    file,
    [
      `bind ${loopback}`,
      `port ${port}`,
      `dir ${directory}`,
      `requirepass ${password}`,
      `sentinel monitor ${masterName} ${loopback} ${masterPort} 1`,
      `sentinel auth-pass ${masterName} ${password}`,
      `sentinel down-after-milliseconds ${masterName} 500`,
      `sentinel failover-timeout ${masterName} 3000`,
      '',
    ].join('\n'),
  );
  return startServerProcess(
    {
      name: 'Redis Sentinel',
      program,
      args: [file, '--sentinel'],
      logFile: join(directory, 'sentinel.log'),
      whenReady: async (_pid, signal) => {
        await until(() => isListening(port), { timeoutMs: Infinity, signal });
      },
    },
    host,
  );
}

async function withAdministrator<Result>(
  { port, password }: { port: number; password: string },
  work: (redis: Redis) => Promise<Result>,
): Promise<Result> {
  const redis = new Redis({ host: loopback, port, password });
  try {
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}

/** Assigns a node its hash slots, and introduces it to the first node. */
async function assignSlots(node: {
  readonly port: number;
  readonly password: string;
  readonly index: number;
  readonly ports: readonly number[];
}): Promise<void> {
  const { index, ports } = node;
  const size = Math.ceil(slotCount / ports.length);
  const first = index * size;
  const slots = Array.from({ length: Math.min(size, slotCount - first) }, (_, offset) => first + offset);
  await withAdministrator(node, async (redis) => {
    await redis.cluster('ADDSLOTS', ...slots);
    await redis.cluster('MEET', loopback, ports[0] ?? 0, (ports[0] ?? 0) + busOffset);
  });
}

function isComplete(port: number, password: string): Promise<true | null> {
  return withAdministrator({ port, password }, async (redis) => {
    const info = await redis.cluster('INFO');
    return info.includes('cluster_state:ok') && info.includes('cluster_known_nodes:3') ? true : null;
  });
}

async function stopAll(servers: readonly ServerHandle[], close: () => Promise<void>): Promise<void> {
  await Promise.all(servers.map((server) => server.kill()));
  await close();
}
