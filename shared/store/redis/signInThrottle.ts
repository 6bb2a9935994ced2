import { createHash } from 'node:crypto';

import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';

import type { RedisConnection } from './client.js';

/** A sign-in attempt of a client without a verified device cookie. */
export interface SignInAttempt {
  /** The network of the client that signs in. */
  readonly network: string;
  /** The email address; null if the client uses a sign-in link. */
  readonly email: string | null;
}

/**
 * Whether a sign-in attempt may continue. An attempt counts as a failure until `forgive` is called, so that concurrent
 * attempts do not exceed a limit.
 */
export type SignInAdmission =
  | { readonly admitted: true; readonly forgive: () => Promise<void> }
  /** `waitSeconds` is the whole seconds until the next sign-in attempt may be admitted. */
  | { readonly admitted: false; readonly waitSeconds: number };

/**
 * The limits for failed sign-ins. A sign-in attempt counts against one limit after another, up to the first limit that
 * rejects the attempt. So a network that has reached its limit no longer affects the users whose email addresses it
 * tries.
 */
export interface SignInThrottle {
  /** Counts a sign-in attempt by network, then by email address and network, then by email address. */
  admit: (attempt: SignInAttempt) => Promise<SignInAdmission>;
  /**
   * Counts a sign-in attempt by device alone.
   * @param deviceId the id from a verified device cookie
   */
  admitDevice: (deviceId: string) => Promise<SignInAdmission>;
}

/** The maximum number of failed sign-ins in a period. */
export const signInLimits = {
  network: 50,
  emailAndNetwork: 10,
  /** The limit for one email address, which is the maximum in NIST SP 800-63B section 5.2.2. */
  email: 100,
  device: 10,
} as const;

const signInPeriodSeconds = 15 * 60;

type Kind = keyof typeof signInLimits;

type Counter = readonly [limiter: RateLimiterRedis, key: string];

/** Creates a throttle that counts in Redis for all processes. While Redis is unavailable, each process counts alone. */
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

/**
 * Counts a sign-in attempt.
 * @returns null if the limit is not reached, otherwise the whole seconds until the period ends
 */
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

/** The hash of an email address, because Redis must not store personal data. */
function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
