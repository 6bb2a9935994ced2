import Koa from 'koa';

import { messageOf } from '../shared/core/errors.js';
import type { RateLimiter } from '../shared/store/redis/rateLimiter.js';
import { createFailedKeyLimit } from './authentication/apiKeyLookup.js';
import { createOriginLookup } from './authentication/originLookup.js';
import { createHandlers, type HandlerDependencies } from './handlers.js';
import { isApiError } from './http/apiError.js';
import { clientTraceOf } from './middleware/clientNetwork.js';
import type { ApiContext, RequestState } from './http/context.js';
import type { RequestClient, Route } from './http/route.js';
import { createIdempotency, type IdempotencyDependencies } from './idempotency/idempotency.js';
import {
  createAuthentication,
  createAuthenticator,
  type Authenticator,
} from './middleware/authentication.js';
import { authorizationError, createAuthorization } from './middleware/authorization.js';
import { createCors } from './middleware/cors.js';
import { createCompression } from './middleware/compression.js';
import { createEventBodies } from './middleware/eventBody.js';
import { createJsonBody } from './middleware/jsonBody.js';
import { createErrorMapping, createRequestIds, createRequestLog } from './middleware/observability.js';
import { createChargeRequests, createRateLimit } from './middleware/rateLimit.js';
import { createUnsentBytesLimit } from './middleware/unsentBytesLimit.js';
import { createRoutes, type BuiltPages } from './routes.js';
import { createRouting } from './routing.js';
import type { ApiApplication } from './server/server.js';

export interface ApiDependencies
  extends Omit<HandlerDependencies, 'cookie'>, IdempotencyDependencies, BuiltPages {
  readonly rateLimiter: RateLimiter;
  /** The number of trusted proxies in front of this process. Each proxy appends one address to `X-Forwarded-For`. */
  readonly trustedProxies: number;
}

/** The HTTP API as a Koa application. The application opens no port. */
export function createApp(dependencies: ApiDependencies): ApiApplication {
  const { clock, identifiers, metrics, logger, trustedProxies, unsentBytes } = dependencies;
  metrics.onScrape(() => {
    metrics.unsentBytes.set(unsentBytes.total());
    return Promise.resolve();
  });
  const authenticator = createAuthenticator({ ...dependencies, ...dependencies.models });
  const handlers = createHandlers({ ...dependencies, cookie: authenticator.cookie });
  const routing = createRouting(createRoutes(handlers, dependencies), {
    authentication: createAuthentication(authenticator.authenticate),
    rateLimit: createRateLimit(dependencies.rateLimiter),
    authorization: createAuthorization(dependencies.auditTrail),
    unsentBytesLimit: createUnsentBytesLimit(unsentBytes),
    jsonBody: createJsonBody,
    eventBodies: createEventBodies(createChargeRequests(dependencies.rateLimiter)),
    compression: createCompression(),
    clientOf: createClientOf(authenticator),
    idempotency: createIdempotency(dependencies),
  });
  const koa = new Koa<RequestState>({ proxy: trustedProxies > 0, maxIpsCount: trustedProxies });
  koa.on('error', (error: unknown) => {
    // Koa emits `error` for an error outside the middleware. In most cases the client has closed the connection.
    logger.debug({ error: messageOf(error) }, 'a response could not be sent');
  });
  const commonHeaders = commonHeadersOf(dependencies.publicUrl);
  koa.use(createRequestIds(identifiers, clock, commonHeaders));
  koa.use(createRequestLog(metrics, logger));
  koa.use(createErrorMapping(logger));
  koa.use(createCors(originLookupOf(dependencies), routing.methodsForTenants));
  routing.install(koa);
  return { koa, routing, commonHeaders };
}

function originLookupOf({ models }: Pick<ApiDependencies, 'models'>) {
  const elapsedMs = () => performance.now();
  const failedOriginLimit = createFailedKeyLimit(elapsedMs);
  return createOriginLookup({ accounts: models.accounts, failedOriginLimit, elapsedMs });
}

/** The duration for which a browser uses https only: one year, in seconds. */
const secureTransport = 'max-age=31536000';

/**
 * The headers of every response:
 * - No cache may store a response, because it may contain data of an account.
 * - A browser uses the declared content type, and gives no response to a page of another origin.
 * - A browser uses https only, if the public URL has that scheme (RFC 6797).
 */
export function commonHeadersOf(publicUrl: string): Readonly<Record<string, string>> {
  return {
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Cross-Origin-Resource-Policy': 'same-origin',
    ...(new URL(publicUrl).protocol === 'https:' ? { 'Strict-Transport-Security': secureTransport } : {}),
  };
}

function createClientOf({ authenticate, cookie }: Authenticator) {
  return (context: ApiContext, route: Route): RequestClient => {
    const { headers } = context.req;
    const trace = clientTraceOf(context);
    return {
      trace,
      cookies: headers.cookie,
      sessionValue: cookie.read(headers.cookie),
      lastEventId: textOf(headers['last-event-id']),
      isStillAuthorized: async () => {
        const caller = await authenticate({ headers, trace: () => trace }, 'peek');
        return !isApiError(caller) && authorizationError(caller, route) === null;
      },
    };
  };
}

function textOf(header: string | string[] | undefined): string | null {
  return header === undefined || header === '' ? null : header.toString();
}
