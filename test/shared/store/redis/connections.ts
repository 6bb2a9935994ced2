import type { RedisSettings } from '../../../../shared/settings/redis.js';
import { createRedis, type RedisConnection } from '../../../../shared/store/redis/client.js';
import { eventually } from '../../../support/eventually.js';

/** A logger that stores its lines: their level and text. */
export function recordingLogger() {
  const lines: string[] = [];
  const write = (level: string) => (first: unknown, text?: string) => {
    lines.push(`${level}: ${text ?? String(first)}`);
  };
  return { lines, info: write('info'), warn: write('warn') };
}

/** The settings of one server without TLS. */
export function redisAt(url: string): RedisSettings {
  return { kind: 'server', url, tls: null };
}

/** Connects and waits until the server has answered. */
export async function openRedis(
  server: string | RedisSettings,
  logger = recordingLogger(),
): Promise<RedisConnection> {
  const redis = createRedis(typeof server === 'string' ? redisAt(server) : server, logger);
  const errors: string[] = [];
  redis.client.on('node error', (error: Error, node: string) => errors.push(`${node}: ${String(error)}`));
  redis.client.on('error', (error: Error) => errors.push(String(error)));
  await eventually('a connection to Redis', () => {
    if (!redis.isReady()) {
      throw new Error([redis.client.status, ...errors.slice(-6)].join('; '));
    }
    return true;
  });
  return redis;
}
