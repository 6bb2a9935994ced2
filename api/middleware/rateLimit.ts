import { windowSeconds } from '../../shared/store/redis/counters.js';
import type { RateLimiter } from '../../shared/store/redis/rateLimiter.js';
import { writeError } from '../http/answer.js';
import type { Caller } from '../http/caller.js';
import type { ApiMiddleware } from '../http/context.js';
import { apiError, type ApiError } from '../http/apiError.js';

/**
 * Lets as many requests through as the account's plan allows, in each mode by itself. All answers behind it say what the
 * limit is and what is left of it (draft-ietf-httpapi-ratelimit-headers, version 10).
 */
export function createRateLimit(rateLimiter: RateLimiter): ApiMiddleware {
  return async (context, next) => {
    const { caller } = context.state;
    if (caller === null) {
      throw new Error('a request was counted before it was known whose it is');
    }
    const { plan, requestsPerSecond } = caller;
    const { allowed, remaining, resetSeconds } = await rateLimiter.consume(
      nameOfCounter(caller),
      limitOf(caller),
    );
    context.set('RateLimit-Policy', `"${plan}";q=${requestsPerSecond};w=${windowSeconds}`);
    context.set('RateLimit', `"${plan}";r=${remaining};t=${resetSeconds}`);
    if (allowed) {
      await next();
    } else {
      writeError(context, tooManyRequests(caller, resetSeconds));
    }
  };
}

/** What the requests of an account in one mode are counted under. */
export function nameOfCounter({ accountId, mode }: Pick<Caller, 'accountId' | 'mode'>): string {
  return `${accountId}:${mode}`;
}

/** Requests that an account may make in a window, in each mode. */
export function limitOf({ requestsPerSecond }: Pick<Caller, 'requestsPerSecond'>): number {
  return requestsPerSecond * windowSeconds;
}

function tooManyRequests({ mode, requestsPerSecond }: Caller, retryAfterSeconds: number): ApiError {
  return apiError(
    'rate_limit_exceeded',
    `This account may send ${requestsPerSecond} requests a second in ${mode} mode. Try again after the time in Retry-After.`,
    { headers: { 'Retry-After': String(retryAfterSeconds) } },
  );
}
