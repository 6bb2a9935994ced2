import { once } from 'node:events';

import { Cluster, Redis, type CommonRedisOptions } from 'ioredis';

import { messageOf } from '../../core/errors.js';
import type { Logger } from '../../core/logger.js';
import type { RedisSettings } from '../../settings/redis.js';
import type { TlsOptions } from '../../settings/tls.js';

/**
 * The target of commands: one server, or the nodes of a cluster. A transaction, a script and a command with several
 * keys need all their keys in one hash slot.
 */
export type RedisClient = Redis | Cluster;

export interface RedisConnection {
  readonly client: RedisClient;
  /** Whether the server has answered on the current connection. */
  isReady: () => boolean;
  /** Resolves when the server has answered, when a connection fails, or after the limit. */
  firstReady: (limitMs: number) => Promise<void>;
  close: () => void;
}

const firstRetryMs = 50;
const longestRetryMs = 1000;
const longestWaitMs = 1000;

const retryDelay = (attempt: number) => Math.min(firstRetryMs * 2 ** (attempt - 1), longestRetryMs);

const options = {
  // A command waits for nothing but its answer. On a lost connection it may have been executed, and a repeated
  // increment would count twice.
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  connectTimeout: 2000,
  // Closes a connection without answers for so long, because its machine may be lost.
  socketTimeout: longestWaitMs,
  disconnectTimeout: 100,
  maxLoadingRetryTime: 1000,
  // Commands of one turn of the event loop share a write. Separate writes took a ninth of the API's CPU time under
  // load.
  enableAutoPipelining: true,
  retryStrategy: retryDelay,
  // A former master rejects writes. Another connection finds the new master.
  reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
} satisfies CommonRedisOptions & Record<string, unknown>;

/**
 * Connects to Redis in the background, and reconnects whenever the connection is lost. It returns at once and never
 * fails. Without a connection, a command fails at once. Each loss and each recovery is logged once.
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
    // A command whose connection was lost is not retried, so that it is not counted twice. The next refresh finds the
    // slots of a failed node at its replica.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    slotsRefreshInterval: 2000,
    redisOptions: { ...nodeOptions, ...loginOf(login), ...tlsOf(tls) },
    // A certificate contains the name of a node, not its address.
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
  // Without a listener, ioredis prints each error of each attempt.
  client.on('error', (error: Error) => {
    reason = reasonOf(error);
  });
  return () => client.off('close', onClose);
}

/**
 * The reason of an error. If a name has several addresses and all of them fail, Node's error has a code and no message.
 */
function reasonOf(error: Error): string {
  // A cluster reports that it has reached no node. The error of the last node contains the reason.
  if ('lastNodeError' in error && error.lastNodeError instanceof Error) {
    return reasonOf(error.lastNodeError);
  }
  return error.message === '' && 'code' in error ? String(error.code) : messageOf(error);
}
