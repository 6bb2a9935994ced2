import { UnavailableError } from '../../core/errors.js';
import type { Logger } from '../../core/logger.js';
import { createCircuitBreaker } from './circuitBreaker.js';
import type { RedisClient, RedisConnection } from './client.js';
import { withCommandTimeout } from './commandTimeout.js';

/** Access to Redis for operations that fail without Redis. */
export interface RedisGuard {
  /** @throws UnavailableError if Redis is unavailable, or does not answer in time */
  ask: <Answer>(work: (client: RedisClient) => Promise<Answer>) => Promise<Answer>;
}

const answerLimitMs = 500;
const failuresToSkip = 3;
const probeIntervalMs = 1000;

/**
 * Creates access to Redis with a short timeout. While Redis hangs, all requests except one per second fail at once.
 * @param purpose the consequence for the client, such as "sessions cannot be looked up"
 */
export function createRedisGuard(
  redis: RedisConnection,
  logger: Pick<Logger, 'info' | 'warn'>,
  purpose: string,
): RedisGuard {
  const now = () => performance.now();
  const skipping = `Redis does not respond, so ${purpose}. The process probes Redis once a second`;
  const breaker = createCircuitBreaker({ failuresToSkip, probeIntervalMs, now, logger, skipping });
  return {
    ask: async (work) => {
      if (!redis.isReady() || !breaker.allows()) {
        throw new UnavailableError(`Redis does not respond, so ${purpose}`, { retryAfterSeconds: 2 });
      }
      const answer = await withCommandTimeout(
        work(redis.client).then((value) => ({ value })),
        answerLimitMs,
      );
      if (answer instanceof Error) {
        breaker.failed(answer.message);
        throw new UnavailableError(`Redis does not respond, so ${purpose}`, {
          retryAfterSeconds: 2,
          cause: answer,
        });
      }
      breaker.answered();
      return answer.value;
    },
  };
}
