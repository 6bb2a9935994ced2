import type { Logger } from '../logger.js';
import { answerInTime } from './answerInTime.js';
import { createBreaker } from './breaker.js';
import type { RedisConnection } from './client.js';
import { count, createCounters, type Count } from './counters.js';

export interface RateDecision {
  readonly allowed: boolean;
  /** Requests that are left in the present window. */
  readonly remaining: number;
  /** Whole seconds until the next window begins, at least 1. */
  readonly resetSeconds: number;
}

export interface RateLimiter {
  /**
   * Counts one request of `key`, which may make `limit` of them in each window of one second. It never rejects: while
   * Redis does not count, this process counts by itself and allows the whole limit.
   */
  consume: (key: string, limit: number) => Promise<RateDecision>;
}

/** A request waits at most 100 ms for a Redis that hangs: the timer and a busy process take their part of it. */
const answerLimitMs = 80;

const failuresToSkip = 3;
const probeIntervalMs = 1000;

/** Limits rates across all processes that use the same Redis. */
export function createRateLimiter(
  redis: RedisConnection,
  logger: Pick<Logger, 'info' | 'warn'>,
): RateLimiter {
  const countersOf = createCounters(redis);
  const now = () => performance.now();
  const breaker = createBreaker({ failuresToSkip, probeIntervalMs, now, logger });

  const settle = (answer: Count | Error): Count | null => {
    if (answer instanceof Error) {
      breaker.failed(answer.message);
      return null;
    }
    if (!answer.isRemembered) {
      breaker.answered();
    }
    return answer;
  };

  return {
    consume: async (key, limit) => {
      const { shared, local } = countersOf(limit);
      const isAsked = redis.isReady() && breaker.allows();
      const counted = isAsked ? settle(await answerInTime(count(shared, key), answerLimitMs)) : null;
      return decisionOf(counted ?? (await count(local, key)));
    },
  };
}

function decisionOf({ allowed, remaining, millisecondsLeft }: Count): RateDecision {
  return { allowed, remaining, resetSeconds: Math.max(1, Math.ceil(millisecondsLeft / 1000)) };
}
