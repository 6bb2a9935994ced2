import {
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
  type RateLimiterAbstract,
} from 'rate-limiter-flexible';

import type { RedisConnection } from './client.js';

/** What counts requests against one limit. */
export interface Counters {
  /** In Redis: the requests to all processes. */
  readonly shared: RateLimiterAbstract;
  /** In memory: the requests to this process. */
  readonly local: RateLimiterAbstract;
}

/** The window in which requests are counted, in seconds. It begins with the first request and ends for all at once. */
export const windowSeconds = 1;

const keyPrefix = 'postrider:rate';

/**
 * Limits are few: one for each plan, and those that Enterprise accounts have agreed. Beyond this many all counters begin
 * anew, and what Redis has counted stands.
 */
const maximumLimits = 1000;

/** Gives the counters of each limit, in requests a window. */
export function createCounters({ client }: RedisConnection): (limit: number) => Counters {
  const byLimit = new Map<number, Counters>();
  return (limit) => {
    const known = byLimit.get(limit);
    if (known !== undefined) {
      return known;
    }
    const options = { points: limit, duration: windowSeconds, keyPrefix };
    const counters = {
      // Once a window is used up, this process refuses the rest of it without asking.
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

/** What becomes of a request, and of its window. */
export interface Allowance {
  readonly allowed: boolean;
  /** Requests that are left in the window. */
  readonly remaining: number;
  readonly millisecondsLeft: number;
}

/** A counter's answer: it allows all that was asked for, or not all. */
export interface Count extends Allowance {
  /** How much of it is within the limit. */
  readonly counted: number;
  /** Whether this process knew by itself that the window is used up: then Redis was not asked. */
  readonly isRemembered: boolean;
}

/**
 * Counts requests.
 * @throws what the store fails with: the limiter rejects with an Error then, and with its result where it refuses
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

/** What is refused was added all the same: the part of it up to the limit is nobody else's. */
function countedOf({ consumedPoints }: RateLimiterRes, limit: number, requests: number): number {
  return consumedPoints === 0 ? 0 : Math.max(0, limit - (consumedPoints - requests));
}
