import { createHash } from 'node:crypto';

import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';

import type { RedisConnection } from './client.js';

/** An attempt of an unknown client. */
export interface SignInAttempt {
  /** The client's network. */
  readonly network: string;
  /** Null if the client uses a link. */
  readonly email: string | null;
}

/** Whether an attempt may continue. It counts as a failure until it is forgiven, so parallel attempts do not exceed a limit. */
export type SignInAdmission =
  | { readonly admitted: true; readonly forgive: () => Promise<void> }
  /** Whole seconds until the next attempt may be admitted. */
  | { readonly admitted: false; readonly waitSeconds: number };

/**
 * The limits of failed sign-ins. An attempt counts against one limit after another, up to the first limit that rejects
 * it. So a network that has reached its limit changes nothing for the users whose addresses it tries.
 */
export interface SignInThrottle {
  /** Counts by network, then by email address and network, then by email address. */
  admit: (attempt: SignInAttempt) => Promise<SignInAdmission>;
  /** Counts by the device alone. @param deviceId from a device cookie that was verified */
  admitDevice: (deviceId: string) => Promise<SignInAdmission>;
}

/** Failures in a period. */
export const signInLimits = {
  network: 50,
  emailAndNetwork: 10,
  /** NIST SP 800-63B section 5.2.2 allows up to 100. */
  email: 100,
  device: 10,
} as const;

const signInPeriodSeconds = 15 * 60;

type Kind = keyof typeof signInLimits;

type Counter = readonly [limiter: RateLimiterRedis, key: string];

/** Counts in Redis, for all processes, and in this process while Redis is unavailable. */
export function createSignInThrottle({ client }: RedisConnection): SignInThrottle {
  const limiterOf = (kind: Kind) => {
    const options = {
      points: signInLimits[kind],
      duration: signInPeriodSeconds,
      keyPrefix: `postrider:sign-in:${kind}`,
    };
    return new RateLimiterRedis({
      ...options,
      storeClient: client,
      rejectIfRedisNotReady: true,
      insuranceLimiter: new RateLimiterMemory(options),
    });
  };
  const limiters = {
    network: limiterOf('network'),
    emailAndNetwork: limiterOf('emailAndNetwork'),
    email: limiterOf('email'),
    device: limiterOf('device'),
  };

  const countersOf = ({ network, email }: SignInAttempt): readonly Counter[] => [
    [limiters.network, network],
    ...(email === null
      ? []
      : ([
          [limiters.emailAndNetwork, hashOf(`${email} ${network}`)],
          [limiters.email, hashOf(email)],
        ] as const)),
  ];

  const admitBy = async (counters: readonly Counter[]): Promise<SignInAdmission> => {
    const counted: Counter[] = [];
    const forgive = async () => {
      await Promise.all(counted.map(([limiter, key]) => limiter.reward(key)));
    };
    for (const counter of counters) {
      const waitSeconds = await consume(counter);
      if (waitSeconds !== null) {
        await forgive();
        return { admitted: false, waitSeconds };
      }
      counted.push(counter);
    }
    return { admitted: true, forgive };
  };

  return {
    admit: (attempt) => admitBy(countersOf(attempt)),
    admitDevice: (deviceId) => admitBy([[limiters.device, hashOf(deviceId)]]),
  };
}

/** @returns null if the limit is not reached, otherwise the whole seconds until the period ends */
async function consume([limiter, key]: Counter): Promise<number | null> {
  try {
    await limiter.consume(key);
    return null;
  } catch (rejection) {
    if (rejection instanceof RateLimiterRes) {
      return Math.max(1, Math.ceil(rejection.msBeforeNext / 1000));
    }
    throw rejection;
  }
}

/** Redis stores no email address. */
function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
