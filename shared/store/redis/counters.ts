import {
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
  type RateLimiterAbstract,
} from 'rate-limiter-flexible';

import type { RedisConnection } from './client.js';

/** The counters of requests against one limit. */
export interface Counters {
  /** The counter in Redis of the requests to all processes. */
  readonly shared: RateLimiterAbstract;
  /** The counter in memory of the requests to this process. */
  readonly local: RateLimiterAbstract;
}

/** The length of a rate-limit window, in seconds. A window begins with the first request of a key. */
export const windowSeconds = 1;

const keyPrefix = 'postrider:rate';

/**
 * The maximum number of rate limits with counters. Each plan has a rate limit, and an Enterprise account may have its
 * own. Beyond this maximum all counters in memory restart, and the counts in Redis remain.
 */
const maximumLimits = 1000;

/** Creates the counters for each rate limit, in requests per window. */
export function createCounters({ client }: RedisConnection): (limit: number) => Counters {
  const byLimit = new Map<number, Counters>();
  return (limit) => {
    const known = byLimit.get(limit);
    if (known !== undefined) {
      return known;
    }
    const options = { points: limit, duration: windowSeconds, keyPrefix };
    const counters = {
      // When the limit of a window is exhausted, this process rejects the remaining requests of the window without
      // asking Redis.
      shared: new RateLimiterRedis({ ...options, storeClient: client, inMemoryBlockOnConsumed: limit }),
      local: new RateLimiterMemory(options),
    };
    if (byLimit.size === maximumLimits) {
      byLimit.clear();
    }
    byLimit.set(limit, counters);
    return counters;
  };
}

/** The decision on a request, and the state of its rate-limit window. */
export interface Allowance {
  readonly allowed: boolean;
  /** The number of requests that remain in the window. */
  readonly remaining: number;
  readonly millisecondsLeft: number;
}

/** The answer of a counter for one or several requests, which may allow only some of the requests. */
export interface Count extends Allowance {
  /** The number of the requests that are within the rate limit. */
  readonly counted: number;
  /** Whether this process already knew that the window is exhausted, so that it did not ask Redis. */
  readonly isRemembered: boolean;
}

/**
 * Counts requests of a key.
 * @throws the error of a failed Redis command. A rejection by the rate limit is a result, not an error.
 */
export function count(counter: RateLimiterAbstract, key: string, requests = 1): Promise<Count> {
  return counter.consume(key, requests).then(
    (result) => ({ allowed: true, counted: requests, ...countOf(result) }),
    (rejection: unknown) => {
      if (rejection instanceof RateLimiterRes) {
        return {
          allowed: false,
          counted: countedOf(rejection, counter.points, requests),
          ...countOf(rejection),
        };
      }
      throw rejection;
    },
  );
}

function countOf({ consumedPoints, remainingPoints, msBeforeNext }: RateLimiterRes) {
  return {
    remaining: remainingPoints,
    millisecondsLeft: msBeforeNext,
    isRemembered: consumedPoints === 0,
  };
}

/**
 * The number of requests of a rejected command that are within the rate limit. Redis has counted the command in spite
 * of the rejection, so its part below the limit is not available to other requests.
 */
function countedOf({ consumedPoints }: RateLimiterRes, limit: number, requests: number): number {
  return consumedPoints === 0 ? 0 : Math.max(0, limit - (consumedPoints - requests));
}
