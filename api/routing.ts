import Router, { type RouterMiddleware } from '@koa/router';
import type Koa from 'koa';

import { apiError, type ApiError } from './http/apiError.js';
import type { ApiContext, ApiMiddleware, RequestState } from './http/context.js';
import { writeError, writeResponse } from './http/response.js';
import { noBody, readQuery, type Idempotency, type RequestClient, type Route } from './http/route.js';
import { requireKnownMode, requireLiveMode } from './middleware/authorization.js';
import { isCompressed } from './middleware/compression.js';
import { optionalBody } from './middleware/jsonBody.js';

/** The steps between a route and its handler, in the order of a request. */
export interface RouteSteps {
  readonly authentication: ApiMiddleware;
  readonly rateLimit: ApiMiddleware;
  readonly authorization: ApiMiddleware;
  readonly unsentBytesLimit: ApiMiddleware;
  readonly jsonBody: (maximumBytes?: number) => ApiMiddleware;
  readonly compression: ApiMiddleware;
  readonly clientOf: (context: ApiContext, route: Route) => RequestClient;
  readonly idempotency: Idempotency;
}

export interface Routing {
  /** Adds the routes to a Koa application. */
  install: (app: Koa<RequestState>) => void;
  /** The error for a request without a route: 404, or 405 with the allowed methods of the path. */
  routingError: (path: string) => ApiError;
}

/** The route table as Koa middleware. */
export function createRouting(routes: readonly Route[], steps: RouteSteps): Routing {
  const router = new Router<RequestState>({ sensitive: true, strict: true });
  for (const route of routes) {
    router.register(route.path, [route.method], stepsOf(route, steps));
  }

  const routingError = (path: string): ApiError => {
    const layers = isDecodable(path) ? router.match(path, '').path : [];
    const allowed = [...new Set(layers.flatMap(({ methods }) => methods))].sort().join(', ');
    return allowed === ''
      ? apiError(
          'route_not_found',
          'The API has no operation with this path. Check the spelling and case of the path, and ' +
            'remove a trailing slash.',
        )
      : apiError(
          'method_not_allowed',
          `The path supports only the methods ${allowed}. Use one of these methods.`,
          {
            headers: { Allow: allowed },
          },
        );
  };

  const writeRoutingError: ApiMiddleware = (context) => {
    writeError(context, routingError(context.path));
  };

  return {
    routingError,
    install: (app) => {
      app
        .use(requireHostHeader)
        .use(async (context, next) => {
          await (isDecodable(context.path) ? next() : writeRoutingError(context, next));
        })
        .use(router.routes())
        .use(writeRoutingError);
    },
  };
}

function stepsOf(route: Route, steps: RouteSteps) {
  const { authentication, rateLimit, authorization, unsentBytesLimit, compression } = steps;
  const jsonBody = steps.jsonBody(route.maximumBodyBytes);
  return [
    setRoute(route),
    ...(isCompressed(route) ? [compression] : []),
    ...(route.access === 'api-key' ? [authentication, rateLimit, authorization, requireKnownMode] : []),
    ...(route.isProbe === true ? [] : [unsentBytesLimit]),
    ...(route.isLiveOnly === true ? [requireLiveMode] : []),
    ...(route.body === noBody ? [] : [route.bodyIsOptional === true ? optionalBody(jsonBody) : jsonBody]),
    respond(route, steps),
  ];
}

function setRoute(route: Route): ApiMiddleware {
  return (context, next) => {
    context.state.route = route;
    return next();
  };
}

function respond(route: Route, { clientOf, idempotency }: RouteSteps): RouterMiddleware<RequestState> {
  return async (context) => {
    const { caller, body } = context.state;
    const [id = ''] = Object.values<string>(context.params);
    const result = await route.respond({
      caller,
      body,
      query: readQuery(context.querystring),
      id,
      client: clientOf(context, route),
      runOnce: (owner, handle) => idempotency.run({ route, id, message: context.req, body }, owner, handle),
    });
    writeResponse(context, result, route.successStatus);
  };
}

/**
 * Rejects a request without a Host header (RFC 9112 section 3.2). Node's own check of the Host header would send a
 * response without a request id.
 */
const requireHostHeader: ApiMiddleware = async (context, next) => {
  if (context.req.headers.host === undefined && context.req.httpVersion === '1.1') {
    writeError(
      context,
      apiError(
        'http_invalid',
        'The request has no Host header, which HTTP/1.1 requires. Send a Host header.',
      ),
    );
  } else {
    await next();
  }
};

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
