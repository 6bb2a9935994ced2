import { createRedis, type RedisConnection } from '../../../shared/redis/client.js';
import { eventually } from '../../support/eventually.js';

/** A logger that keeps its lines: their level and text. */
export function recordingLogger() {
  const lines: string[] = [];
  const write = (level: string) => (first: unknown, text?: string) => {
    lines.push(`${level}: ${text ?? String(first)}`);
  };
  return { lines, info: write('info'), warn: write('warn') };
}

/** Connects and waits until the server has answered. */
export async function openRedis(url: string, logger = recordingLogger()): Promise<RedisConnection> {
  const redis = createRedis(url, logger);
  await eventually('a connection to Redis', () => (redis.isReady() ? true : null));
  return redis;
}
