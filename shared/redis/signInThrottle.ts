import { createHash } from 'node:crypto';

import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';

import type { RedisConnection } from './client.js';

/** Who tries to sign in: each of the two is counted by itself. */
export interface SignInAttempt {
  readonly email: string;
  /** Of the client's network. */
  readonly address: string;
}

export interface SignInThrottle {
  /**
   * Counts an attempt as a failure until it is known not to be one: so many at once are no way around the limit.
   * @returns null where it may go on, else the whole seconds until another one may
   */
  attempt: (attempt: SignInAttempt) => Promise<number | null>;
  /** The attempt was none that fails. */
  forgive: (attempt: SignInAttempt) => Promise<void>;
}

const failures = 10;
const periodSeconds = 15 * 60;

/** Counts in Redis, for all processes, and in this process while Redis is away. */
export function createSignInThrottle({ client }: RedisConnection): SignInThrottle {
  const limiterOf = (kind: string) => {
    const options = { points: failures, duration: periodSeconds, keyPrefix: `postrider:sign-in:${kind}` };
    return new RateLimiterRedis({
      ...options,
      storeClient: client,
      rejectIfRedisNotReady: true,
      insuranceLimiter: new RateLimiterMemory(options),
    });
  };
  const byEmail = limiterOf('email');
  const byAddress = limiterOf('address');
  const countersOf = ({ email, address }: SignInAttempt) =>
    [
      [byEmail, createHash('sha256').update(email).digest('hex')],
      [byAddress, address],
    ] as const;

  const consume = async (limiter: RateLimiterRedis, key: string): Promise<number | null> => {
    try {
      await limiter.consume(key);
      return null;
    } catch (rejection) {
      if (rejection instanceof RateLimiterRes) {
        return Math.max(1, Math.ceil(rejection.msBeforeNext / 1000));
      }
      throw rejection;
    }
  };

  return {
    attempt: async (attempt) => {
      const waits = await Promise.all(countersOf(attempt).map(([limiter, key]) => consume(limiter, key)));
      const seconds = Math.max(...waits.map((wait) => wait ?? 0));
      return seconds === 0 ? null : seconds;
    },
    forgive: async (attempt) => {
      await Promise.all(countersOf(attempt).map(([limiter, key]) => limiter.reward(key)));
    },
  };
}
