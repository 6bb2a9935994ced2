import type { RateLimiterRes } from 'rate-limiter-flexible';

import type { Logger } from '../../core/logger.js';
import { createCircuitBreaker } from './circuitBreaker.js';
import type { RedisConnection } from './client.js';
import { withCommandTimeout } from './commandTimeout.js';
import { count, createCounters, type Allowance } from './counters.js';
import { createQuotaPrefetch } from './quotaPrefetch.js';

export interface RateDecision {
  readonly allowed: boolean;
  /** Requests that are left in the current window. */
  readonly remaining: number;
  /** Whole seconds until the next window begins, at least 1. */
  readonly resetSeconds: number;
}

export interface RateLimiter {
  /**
   * Counts one request of `key`, which may make `limit` of them in each window of one second. It never rejects. While
   * Redis is unavailable, this process counts alone and allows the whole limit.
   */
  consume: (key: string, limit: number) => Promise<RateDecision>;
  /** The counted requests of `key` in the current window, without counting another one. It never rejects. */
  used: (key: string, limit: number) => Promise<number>;
}

/** A request waits at most 100 ms for a Redis that hangs, including delays of the timer and of a busy process. */
const answerLimitMs = 80;

const failuresToSkip = 3;
const probeIntervalMs = 1000;
const skipping =
  'Redis does not respond: this process counts requests for rate limits alone, until Redis ' + 'responds';

/** Limits rates across all processes that use the same Redis. */
export function createRateLimiter(
  redis: RedisConnection,
  logger: Pick<Logger, 'info' | 'warn'>,
): RateLimiter {
  const countersOf = createCounters(redis);
  const now = () => performance.now();
  const breaker = createCircuitBreaker({ failuresToSkip, probeIntervalMs, now, logger, skipping });

  /** Null if Redis must not be asked, or has not answered. */
  const ask = async <Answer extends object>(work: () => Promise<Answer>): Promise<Answer | null> => {
    if (!redis.isReady() || !breaker.allows()) {
      return null;
    }
    const answer = await withCommandTimeout(work(), answerLimitMs);
    if (answer instanceof Error) {
      breaker.failed(answer.message);
      return null;
    }
    return answer;
  };

  const prefetch = createQuotaPrefetch({
    now,
    ask: async (key, limit, requests) => {
      const counted = await ask(() => count(countersOf(limit).shared, key, requests));
      if (counted?.isRemembered === false) {
        breaker.answered();
      }
      return counted;
    },
  });

  return {
    consume: async (key, limit) =>
      decisionOf((await prefetch.count(key, limit)) ?? (await count(countersOf(limit).local, key))),
    used: async (key, limit) => {
      const { shared, local } = countersOf(limit);
      const asked = await ask(() => shared.get(key).then(known));
      if (asked === null) {
        return known(await local.get(key)).consumedPoints;
      }
      breaker.answered();
      return asked.consumedPoints - prefetch.unused(key, limit);
    },
  };
}

/** A limiter returns null for a key without requests. */
function known(result: RateLimiterRes | null): Pick<RateLimiterRes, 'consumedPoints'> {
  return result ?? { consumedPoints: 0 };
}

function decisionOf({ allowed, remaining, millisecondsLeft }: Allowance): RateDecision {
  return { allowed, remaining, resetSeconds: Math.max(1, Math.ceil(millisecondsLeft / 1000)) };
}
