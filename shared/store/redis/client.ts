import { once } from 'node:events';

import { Cluster, Redis, type CommonRedisOptions, type ChainableCommander } from 'ioredis';

import { messageOf } from '../../core/errors.js';
import type { Logger } from '../../core/logger.js';
import type { RedisSettings } from '../../settings/redis.js';
import type { TlsOptions } from '../../settings/tls.js';

/**
 * The Redis client, for one server or for the nodes of a cluster. In a cluster, all keys of a transaction, a script or
 * a command must be in one hash slot.
 */
export type RedisClient = Redis | Cluster;

export interface RedisConnection {
  readonly client: RedisClient;
  /** Whether Redis has answered on the current connection. */
  isReady: () => boolean;
  /** Resolves when Redis has answered, when a connection fails, or after `limitMs`. */
  firstReady: (limitMs: number) => Promise<void>;
  close: () => void;
}

const firstRetryMs = 50;
const longestRetryMs = 1000;
const longestWaitMs = 1000;

const retryDelay = (attempt: number) => Math.min(firstRetryMs * 2 ** (attempt - 1), longestRetryMs);

const options = {
  // Commands are neither queued without a connection nor repeated. A command on a lost connection may have been
  // executed, and a repeated increment would count twice.
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  connectTimeout: 2000,
  // The client closes a connection without answers after `longestWaitMs`, because the machine of the server may be
  // lost.
  socketTimeout: longestWaitMs,
  disconnectTimeout: 100,
  maxLoadingRetryTime: 1000,
  // Commands in one turn of the event loop share a write. Separate writes would take a ninth of the API's CPU time
  // under load.
  enableAutoPipelining: true,
  retryStrategy: retryDelay,
  // A former master rejects writes, so the client connects again and finds the new master.
  reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
} satisfies CommonRedisOptions & Record<string, unknown>;

/**
 * Connects to Redis in the background, and reconnects when the connection is lost. `createRedis` returns at once and
 * never fails. Without a connection, a command fails at once. The client logs each loss and each recovery of its
 * connection once.
 */
export function createRedis(settings: RedisSettings, logger: Pick<Logger, 'info' | 'warn'>): RedisConnection {
  const client = createClient(settings);
  const stopReporting = reportChanges(client, logger);
  return {
    client,
    isReady: () => client.status === 'ready',
    firstReady: async (limitMs) => {
      if (client.status !== 'ready') {
        await once(client, 'ready', { signal: AbortSignal.timeout(limitMs) }).catch(() => undefined);
      }
    },
    close: () => {
      stopReporting();
      client.disconnect();
    },
  };
}

function createClient(settings: RedisSettings): RedisClient {
  switch (settings.kind) {
    case 'server':
      return new Redis(settings.url, { ...options, ...tlsOf(settings.tls) });
    case 'sentinel':
      return createSentinelClient(settings);
    case 'cluster':
      return createClusterClient(settings);
    default: {
      const never: never = settings;
      return never;
    }
  }
}

function createSentinelClient(settings: Extract<RedisSettings, { kind: 'sentinel' }>): Redis {
  const { sentinelLogin, login, tls } = settings;
  return new Redis({
    ...options,
    sentinels: [...settings.sentinels],
    name: settings.master,
    db: settings.database,
    sentinelRetryStrategy: retryDelay,
    sentinelCommandTimeout: longestWaitMs,
    ...(sentinelLogin.username === null ? {} : { sentinelUsername: sentinelLogin.username }),
    ...(sentinelLogin.password === null ? {} : { sentinelPassword: sentinelLogin.password }),
    ...loginOf(login),
    ...(tls === null ? {} : { tls: { ...tls }, sentinelTLS: { ...tls }, enableTLSForSentinelMode: true }),
  });
}

function createClusterClient({ nodes, login, tls }: Extract<RedisSettings, { kind: 'cluster' }>): Cluster {
  const { enableOfflineQueue, enableAutoPipelining, retryStrategy, ...nodeOptions } = options;
  return new Cluster([...nodes], {
    enableOfflineQueue,
    enableAutoPipelining,
    clusterRetryStrategy: retryStrategy,
    slotsRefreshTimeout: longestWaitMs,
    // A command on a lost connection is not repeated, because a repeated increment would count twice. After a node has
    // failed, the next refresh finds its hash slots at its replica.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    slotsRefreshInterval: 2000,
    redisOptions: { ...nodeOptions, ...loginOf(login), ...tlsOf(tls) },
    // Certificates contain the names of nodes, so the client must connect to names instead of addresses.
    ...(tls === null
      ? {}
      : {
          dnsLookup: (address, callback) => {
            callback(null, address);
          },
        }),
  });
}

function loginOf(login: { readonly username: string | null; readonly password: string | null }) {
  return {
    ...(login.username === null ? {} : { username: login.username }),
    ...(login.password === null ? {} : { password: login.password }),
  };
}

function tlsOf(tls: TlsOptions | null) {
  return tls === null ? {} : { tls: { ...tls } };
}
const closedByServer = 'the connection to Redis was closed';

function reportChanges(client: RedisClient, logger: Pick<Logger, 'info' | 'warn'>): () => void {
  let isUnavailable: boolean | null = null;
  let reason = closedByServer;
  const onClose = () => {
    if (isUnavailable !== true) {
      logger.warn({ reason }, 'Redis is unavailable: the process tries to reconnect at least once a second');
    }
    isUnavailable = true;
  };
  client.on('close', onClose);
  client.on('ready', () => {
    if (isUnavailable === true) {
      logger.info('Redis is available again');
    }
    isUnavailable = false;
    reason = closedByServer;
  });
  // Without a listener for `error`, ioredis prints each failed connection.
  client.on('error', (error: Error) => {
    reason = reasonOf(error);
  });
  return () => client.off('close', onClose);
}

/**
 * The reason of a connection error. If a host name has several addresses and all of them fail, Node's error has a code
 * and no message.
 */
function reasonOf(error: Error): string {
  // If ioredis reaches no node of a cluster, only the error of the last node contains the reason.
  if ('lastNodeError' in error && error.lastNodeError instanceof Error) {
    return reasonOf(error.lastNodeError);
  }
  return error.message === '' && 'code' in error ? String(error.code) : messageOf(error);
}

/**
 * The results of a Redis transaction.
 * @throws Error if a command of the transaction failed
 */
export async function executed(transaction: ChainableCommander): Promise<readonly unknown[]> {
  const results = (await transaction.exec()) ?? [];
  return results.map(([error, result]) => {
    if (error !== null) {
      throw error;
    }
    return result;
  });
}
