import { windowSeconds } from '../../shared/store/redis/counters.js';
import type { RateLimiter } from '../../shared/store/redis/rateLimiter.js';
import { apiError, type ApiError } from '../http/apiError.js';
import type { ApiContext, ApiMiddleware, Caller } from '../http/context.js';
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
    const { key, policy, requestsPerSecond } = limitOf(caller);
    const { allowed, remaining, resetSeconds } = await rateLimiter.consume(
      key,
      requestsPerWindow({ requestsPerSecond }),
    );
    context.set('RateLimit-Policy', `"${policy}";q=${requestsPerSecond};w=${windowSeconds}`);
    context.set('RateLimit', `"${policy}";r=${remaining};t=${resetSeconds}`);
    if (allowed) {
      await next();
    } else {
      writeError(context, tooManyRequests(caller, resetSeconds));
    }
  };
}

/** Counts further requests for a request that the rate limit has admitted, and updates the header `RateLimit`. */
export type ChargeRequests = (context: ApiContext, caller: Caller, requests: number) => Promise<void>;

export function createChargeRequests(rateLimiter: Pick<RateLimiter, 'charge'>): ChargeRequests {
  return async (context, caller, requests) => {
    if (requests > 0) {
      const { remaining, resetSeconds } = await rateLimiter.charge(
        rateLimitKey(caller),
        requestsPerWindow(caller),
        requests,
      );
      context.set('RateLimit', `"${caller.plan}";r=${remaining};t=${resetSeconds}`);
    }
  };
}

/** The requests per second of a portal session, which do not count towards the limit of the plan. */
const portalRequestsPerSecond = 20;

interface Limit {
  readonly key: string;
  readonly policy: string;
  readonly requestsPerSecond: number;
}

function limitOf(caller: Caller): Limit {
  const portal = caller.tenant?.portal;
  return portal === undefined
    ? { key: rateLimitKey(caller), policy: caller.plan, requestsPerSecond: caller.requestsPerSecond }
    : {
        key: `portal-session:${portal.sessionId}`,
        policy: 'portal',
        requestsPerSecond: portalRequestsPerSecond,
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

function tooManyRequests(caller: Caller, retryAfterSeconds: number): ApiError {
  const { requestsPerSecond } = limitOf(caller);
  const whose =
    caller.tenant?.portal === undefined
      ? `The account may send ${requestsPerSecond} requests per second in ${caller.mode} mode.`
      : `A portal session may send ${requestsPerSecond} requests per second.`;
  return apiError(
    'rate_limit_exceeded',
    `${whose} Wait for the seconds in Retry-After, then retry the request.`,
    { headers: { 'Retry-After': String(retryAfterSeconds) } },
  );
}
