import { portalTokenPrefix } from '../../shared/domain/accounts/portalSettings.js';
import type { OriginLookup } from '../authentication/originLookup.js';
import { apiError } from '../http/apiError.js';
import type { ApiContext, ApiMiddleware } from '../http/context.js';
import { writeError } from '../http/response.js';
import { bearerToken } from './authentication.js';
import { isOfForeignPage } from './authorization.js';
import { networkOfRequest } from './clientNetwork.js';

const allowOrigin = 'Access-Control-Allow-Origin';
/** The request headers that pages of other origins may send. */
const requestHeaders = 'Authorization, Content-Type, Idempotency-Key, Last-Event-ID';
/** The response headers that pages of other origins may read. */
const responseHeaders = 'Request-Id, Location, Retry-After, RateLimit, RateLimit-Policy, Idempotent-Replayed';
const preflightSeconds = 600;
const noContent = 204;

/** The methods of a path that take portal sessions. */
export type MethodsForTenants = (path: string) => readonly string[];

/**
 * Cross-origin requests with portal sessions (https://fetch.spec.whatwg.org/#http-cors-protocol). Other credentials get
 * no CORS headers, because they do not belong in browsers.
 *
 * A preflight has no credentials, so any listed origin is allowed. A response to a portal token allows any listed
 * origin, until `checkOrigin` knows the account.
 */
export function createCors(origins: OriginLookup, methodsForTenants: MethodsForTenants): ApiMiddleware {
  return async (context, next) => {
    const methods = preflightMethods(context, methodsForTenants);
    const { origin } = context.req.headers;
    if (origin === undefined || (methods === null && !hasPortalToken(context))) {
      await next();
      return;
    }
    context.vary('Origin');
    if (!(await origins.isListed(origin, () => networkOfRequest(context)))) {
      await next();
      return;
    }
    context.set(allowOrigin, origin);
    if (methods !== null) {
      answerPreflight(context, methods);
    } else {
      context.set('Access-Control-Expose-Headers', responseHeaders);
      await next();
    }
  };
}

/** Whether the credential is a portal token. A damaged token counts too, so that the page can read its 401. */
function hasPortalToken({ req: { headers } }: ApiContext): boolean {
  return bearerToken(headers.authorization ?? '').startsWith(portalTokenPrefix);
}

function answerPreflight(context: ApiContext, methods: readonly string[]): void {
  context.set('Access-Control-Allow-Methods', methods.join(', '));
  context.set('Access-Control-Allow-Headers', requestHeaders);
  context.set('Access-Control-Max-Age', String(preflightSeconds));
  context.status = noContent;
}

/** The methods that a preflight may ask for, or null if the request is not a preflight for one of them. */
function preflightMethods(
  { method, path, req: { headers } }: ApiContext,
  methodsForTenants: MethodsForTenants,
): readonly string[] | null {
  const requested = headers['access-control-request-method'];
  if (method !== 'OPTIONS' || requested === undefined) {
    return null;
  }
  const methods = methodsForTenants(path);
  return methods.includes(requested) ? methods : null;
}

/** Restricts a request with a portal session to the origins of its account. */
export const checkOrigin: ApiMiddleware = async (context, next) => {
  const portal = context.state.caller?.tenant?.portal;
  const { origin } = context.req.headers;
  if (portal === undefined || origin === undefined || portal.origins.includes(origin)) {
    await next();
    return;
  }
  context.remove(allowOrigin);
  if (isOfForeignPage(context)) {
    writeError(context, originNotAllowed);
  } else {
    await next();
  }
};

const originNotAllowed = apiError(
  'origin_not_allowed',
  'The account of the portal session does not list the origin of this page. Add the origin to portal.origins ' +
    'with PATCH /v1/account.',
);
