import { UnavailableError, messageOf } from '../../core/errors.js';
import type { Logger } from '../../core/logger.js';
import { createCircuitBreaker } from './circuitBreaker.js';
import type { RedisClient, RedisConnection } from './client.js';

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

/**
 * The outcome of a Redis command as a value: its answer, or an error if the command fails or exceeds the time limit.
 * After the process was blocked for longer than the limit, the answer may already be in the socket. Node runs timers
 * before it reads sockets. So when the timer fires, arrived answers are read first, before the command times out. The
 * time limit starts at the end of the current turn of the event loop, when the client writes the command.
 */
export function withCommandTimeout<Answer extends object>(
  work: Promise<Answer>,
  limitMs: number,
): Promise<Answer | Error> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    const start = setImmediate(() => {
      timer = setTimeout(() => {
        setImmediate(() => {
          resolve(new Error(`Redis did not respond within ${limitMs} ms`));
        });
      }, limitMs);
    });
    const settle = (outcome: Answer | Error) => {
      clearImmediate(start);
      clearTimeout(timer);
      resolve(outcome);
    };
    work.then(settle, (error: unknown) => {
      settle(error instanceof Error ? error : new Error(messageOf(error)));
    });
  });
}
