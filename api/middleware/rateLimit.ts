import { windowSeconds } from '../../shared/store/redis/counters.js';
import type { RateLimiter } from '../../shared/store/redis/rateLimiter.js';
import { apiError, type ApiError } from '../http/apiError.js';
import type { ApiMiddleware, Caller } from '../http/context.js';
import { writeError } from '../http/response.js';

/**
 * Limits the requests of an account to the number of its plan, separately in each mode. After this step, each response
 * contains the limit and the number of remaining requests (draft-ietf-httpapi-ratelimit-headers, version 10).
 */
export function createRateLimit(rateLimiter: RateLimiter): ApiMiddleware {
  return async (context, next) => {
    const { caller } = context.state;
    if (caller === null) {
      throw new Error('the rate limit requires a caller');
    }
    const { plan, requestsPerSecond } = caller;
    const { allowed, remaining, resetSeconds } = await rateLimiter.consume(
      rateLimitKey(caller),
      requestsPerWindow(caller),
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

/** The key of the counter for the requests of an account in one mode. */
export function rateLimitKey({ accountId, mode }: Pick<Caller, 'accountId' | 'mode'>): string {
  return `${accountId}:${mode}`;
}

/** The number of requests that an account may make in a rate-limit window, in each mode. */
export function requestsPerWindow({ requestsPerSecond }: Pick<Caller, 'requestsPerSecond'>): number {
  return requestsPerSecond * windowSeconds;
}

function tooManyRequests({ mode, requestsPerSecond }: Caller, retryAfterSeconds: number): ApiError {
  return apiError(
    'rate_limit_exceeded',
    `The account may send ${requestsPerSecond} requests per second in ${mode} mode. Wait for the seconds in Retry-After, then retry the request.`,
    { headers: { 'Retry-After': String(retryAfterSeconds) } },
  );
}
