import { Redis } from 'ioredis';

import { messageOf } from '../errors.js';
import type { Logger } from '../logger.js';

export interface RedisConnection {
  readonly client: Redis;
  /** Whether the server has answered on this connection, and the connection stands. */
  isReady: () => boolean;
  close: () => void;
}

const firstRetryMs = 50;
const longestRetryMs = 1000;

const options = {
  // A command waits for nothing but its answer. On a connection that was lost it may have been executed, and a count
  // that is sent again would count twice.
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  connectTimeout: 2000,
  // A connection on which nothing answers for so long is given up: behind it may be a machine that is gone.
  socketTimeout: 1000,
  disconnectTimeout: 100,
  maxLoadingRetryTime: 1000,
  // Commands of one turn of the event loop are one write: under load a write for each was a ninth of the API's time.
  enableAutoPipelining: true,
  retryStrategy: (attempt: number) => Math.min(firstRetryMs * 2 ** (attempt - 1), longestRetryMs),
};

/**
 * Connects to Redis in the background, and again whenever the connection is lost. It returns at once and never fails: a
 * command that finds no connection is rejected without a wait. The log gets one line whenever Redis goes or comes.
 * @param url of the scheme `redis:` or `rediss:`
 */
export function createRedis(url: string, logger: Pick<Logger, 'info' | 'warn'>): RedisConnection {
  const client = new Redis(url, options);
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

const closedByServer = 'the connection was closed';

function reportChanges(client: Redis, logger: Pick<Logger, 'info' | 'warn'>): () => void {
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
  client.on('error', (error) => {
    reason = reasonOf(error);
  });
  return () => client.off('close', onClose);
}

/** Where a name has several addresses and none can be connected to, Node's error has a code and no message. */
function reasonOf(error: Error): string {
  return error.message === '' && 'code' in error ? String(error.code) : messageOf(error);
}
