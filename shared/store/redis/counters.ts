import {
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
  type RateLimiterAbstract,
} from 'rate-limiter-flexible';

import type { RedisConnection } from './client.js';

/** The counters of requests against one limit. */
export interface Counters {
  /** In Redis: the requests to all processes. */
  readonly shared: RateLimiterAbstract;
  /** In memory: the requests to this process. */
  readonly local: RateLimiterAbstract;
}

/**
 * The window in which requests are counted, in seconds. It begins with the first request and ends for all requests
 * together.
 */
export const windowSeconds = 1;

const keyPrefix = 'postrider:rate';

/**
 * The most limits with counters. There are few: one for each plan, and those agreed with Enterprise accounts. Beyond
 * this number all counters restart, while the counts in Redis remain.
 */
const maximumLimits = 1000;

/** Creates the counters of each limit, in requests per window. */
export function createCounters({ client }: RedisConnection): (limit: number) => Counters {
  const byLimit = new Map<number, Counters>();
  return (limit) => {
    const known = byLimit.get(limit);
    if (known !== undefined) {
      return known;
    }
    const options = { points: limit, duration: windowSeconds, keyPrefix };
    const counters = {
      // Once a window is exhausted, this process rejects its remaining requests without asking Redis.
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

/** The decision on a request, and the state of its window. */
export interface Allowance {
  readonly allowed: boolean;
  /** Requests that are left in the window. */
  readonly remaining: number;
  readonly millisecondsLeft: number;
}

/** The answer of a counter, which allows all requests or only some of them. */
export interface Count extends Allowance {
  /** How many of the requests are within the limit. */
  readonly counted: number;
  /** Whether this process already knew that the window is exhausted, so Redis was not asked. */
  readonly isRemembered: boolean;
}

/**
 * Counts requests.
 * @throws the error of the store. The limiter also throws its result if it rejects the requests.
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
 * How many rejected requests are within the limit. A rejected command was added nevertheless, and no other request gets
 * its part below the limit.
 */
function countedOf({ consumedPoints }: RateLimiterRes, limit: number, requests: number): number {
  return consumedPoints === 0 ? 0 : Math.max(0, limit - (consumedPoints - requests));
}
