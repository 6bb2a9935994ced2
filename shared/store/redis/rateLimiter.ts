import type { RateLimiterRes } from 'rate-limiter-flexible';

import type { Logger } from '../../core/logger.js';
import { createCircuitBreaker } from './circuitBreaker.js';
import type { RedisConnection } from './client.js';
import { count, createCounters, type Allowance } from './counters.js';
import { createQuotaPrefetch } from './quotaPrefetch.js';
import { withCommandTimeout } from './redisGuard.js';

export interface RateDecision {
  readonly allowed: boolean;
  /** The number of requests that remain in the current window. */
  readonly remaining: number;
  /** The whole seconds until the next window begins, at least 1. */
  readonly resetSeconds: number;
}

export interface RateLimiter {
  /**
   * Counts one request of `key`, which may make `limit` requests in each window of one second. The returned promise
   * never rejects. While Redis is unavailable, each process counts alone and allows the whole limit.
   */
  consume: (key: string, limit: number) => Promise<RateDecision>;
  /**
   * Counts further requests of `key` after one that was allowed, as far as the limit allows. The decision is always
   * `allowed`. The returned promise never rejects.
   */
  charge: (key: string, limit: number, requests: number) => Promise<RateDecision>;
  /**
   * Returns the number of requests of `key` in the current window, without counting a request. The returned promise
   * never rejects.
   */
  used: (key: string, limit: number) => Promise<number>;
}

/**
 * The time limit for an answer of Redis, in milliseconds. With delays of timers in a busy process, a request waits at
 * most 100 ms.
 */
const answerLimitMs = 80;

const failuresToSkip = 3;
const probeIntervalMs = 1000;
const skipping =
  'Redis does not respond: this process counts requests for rate limits alone, until Redis ' + 'responds';

/** Creates a rate limiter for all processes that use the same Redis. */
export function createRateLimiter(
  redis: RedisConnection,
  logger: Pick<Logger, 'info' | 'warn'>,
): RateLimiter {
  const countersOf = createCounters(redis);
  const now = () => performance.now();
  const breaker = createCircuitBreaker({ failuresToSkip, probeIntervalMs, now, logger, skipping });

  /** Asks Redis; null if the circuit breaker skips Redis, or if Redis does not answer. */
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
    charge: async (key, limit, requests) => ({
      ...decisionOf(
        (await prefetch.charge(key, limit, requests)) ??
          (await count(countersOf(limit).local, key, requests)),
      ),
      allowed: true,
    }),
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

/** The counted requests of a key. A limiter returns null for a key without requests. */
function known(result: RateLimiterRes | null): Pick<RateLimiterRes, 'consumedPoints'> {
  return result ?? { consumedPoints: 0 };
}

function decisionOf({ allowed, remaining, millisecondsLeft }: Allowance): RateDecision {
  return { allowed, remaining, resetSeconds: Math.max(1, Math.ceil(millisecondsLeft / 1000)) };
}
