import { Cluster, Redis, type CommonRedisOptions } from 'ioredis';

import { messageOf } from '../../core/errors.js';
import type { Logger } from '../../core/logger.js';
import type { RedisSettings } from '../../settings/redis.js';
import type { TlsOptions } from '../../settings/tls.js';

/**
 * What commands are sent to: one server, or the nodes of a cluster. A transaction, a script and a command with several keys work on
 * both only if all their keys are in one hash slot.
 */
export type RedisClient = Redis | Cluster;

export interface RedisConnection {
  readonly client: RedisClient;
  /** Whether the server has answered on this connection, and the connection stands. */
  isReady: () => boolean;
  close: () => void;
}

const firstRetryMs = 50;
const longestRetryMs = 1000;
const longestWaitMs = 1000;

const retryDelay = (attempt: number) => Math.min(firstRetryMs * 2 ** (attempt - 1), longestRetryMs);

const options = {
  // A command waits for nothing but its answer. On a connection that was lost it may have been executed, and a count
  // that is sent again would count twice.
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  connectTimeout: 2000,
  // A connection on which nothing answers for so long is given up: behind it may be a machine that is gone.
  socketTimeout: longestWaitMs,
  disconnectTimeout: 100,
  maxLoadingRetryTime: 1000,
  // Commands of one turn of the event loop are one write: under load a write for each was a ninth of the API's time.
  enableAutoPipelining: true,
  retryStrategy: retryDelay,
  // A server that was the master rejects writes. The new master is found by another connection.
  reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
} satisfies CommonRedisOptions & Record<string, unknown>;

/**
 * Connects to Redis in the background, and again whenever the connection is lost. It returns at once and never fails: a
 * command that finds no connection is rejected without a wait. The log gets one line whenever Redis goes or comes.
 */
export function createRedis(settings: RedisSettings, logger: Pick<Logger, 'info' | 'warn'>): RedisConnection {
  const client = createClient(settings);
  const stopReporting = reportChanges(client, logger);
  return {
    client,
    isReady: () => client.status === 'ready',
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
    // A command whose connection was lost is not sent again, so that it is not counted twice. The slots of a failed node are found
    // at its replica by the next refresh.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    slotsRefreshInterval: 2000,
    redisOptions: { ...nodeOptions, ...loginOf(login), ...tlsOf(tls) },
    // A certificate contains the name of a node, not the address that the name resolves to.
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
const closedByServer = 'the connection was closed';

function reportChanges(client: RedisClient, logger: Pick<Logger, 'info' | 'warn'>): () => void {
  let isAway: boolean | null = null;
  let reason = closedByServer;
  const onClose = () => {
    if (isAway !== true) {
      logger.warn({ reason }, 'Redis is not reached: it is tried again at least once a second');
    }
    isAway = true;
  };
  client.on('close', onClose);
  client.on('ready', () => {
    if (isAway === true) {
      logger.info('Redis is reached again');
    }
    isAway = false;
    reason = closedByServer;
  });
  // Without a listener, ioredis would print each error of each attempt.
  client.on('error', (error: Error) => {
    reason = reasonOf(error);
  });
  return () => client.off('close', onClose);
}

/** Where a name has several addresses and none can be connected to, Node's error has a code and no message. */
function reasonOf(error: Error): string {
  // A cluster reports that it has reached no node. What it got from the last one says why.
  if ('lastNodeError' in error && error.lastNodeError instanceof Error) {
    return reasonOf(error.lastNodeError);
  }
  return error.message === '' && 'code' in error ? String(error.code) : messageOf(error);
}
