import Router, { type RouterMiddleware } from '@koa/router';
import type Koa from 'koa';

import { apiError, type ApiError } from './http/apiError.js';
import type { ApiContext, ApiMiddleware, RequestState, TenantAccess } from './http/context.js';
import { writeError, writeResponse } from './http/response.js';
import { noBody, readQuery, type RequestClient, type Route } from './http/route.js';
import type { Idempotency } from './idempotency/idempotency.js';
import { requireKnownMode, requireLiveMode } from './middleware/authorization.js';
import { isCompressed } from './middleware/compression.js';
import { checkOrigin } from './middleware/cors.js';
import type { EventBodies } from './middleware/eventBody.js';
import { optionalBody } from './middleware/jsonBody.js';

/** The steps between a route and its handler, in the order of a request. */
export interface RouteSteps {
  readonly authentication: ApiMiddleware;
  readonly rateLimit: ApiMiddleware;
  readonly authorization: ApiMiddleware;
  readonly unsentBytesLimit: ApiMiddleware;
  readonly jsonBody: (maximumBytes?: number) => ApiMiddleware;
  readonly eventBodies: EventBodies;
  readonly compression: ApiMiddleware;
  readonly clientOf: (context: ApiContext, route: Route) => RequestClient;
  readonly idempotency: Idempotency;
}

export interface Routing {
  /** Adds the routes to a Koa application. */
  install: (app: Koa<RequestState>) => void;
  /** The error for a request without a route: 404, or 405 with the allowed methods of the path. */
  routingError: (path: string) => ApiError;
  /** The methods of a path that take portal sessions. */
  methodsForTenants: (path: string) => readonly string[];
}

/** The route table as Koa middleware. */
export function createRouting(routes: readonly Route[], steps: RouteSteps): Routing {
  const router = new Router<RequestState>({ sensitive: true, strict: true });
  // A path without parameters hides paths with parameters: `GET /v1/events/batch` asks for no event.
  const layersOfFixedPaths = new Map<string, readonly Layer[]>();
  const layersForTenants = new Set<Layer>();
  for (const route of routes) {
    const layer = router.register(route.path, [route.method], stepsOf(route, steps));
    if (!route.path.includes(':')) {
      layersOfFixedPaths.set(route.path, [...(layersOfFixedPaths.get(route.path) ?? []), layer]);
    }
    if (!closedToTenants.includes(route.tenants)) {
      layersForTenants.add(layer);
    }
  }

  const layersOf = (path: string): readonly Layer[] =>
    layersOfFixedPaths.get(path) ?? (isDecodable(path) ? router.match(path, '').path : []);

  const routingError = (path: string): ApiError => {
    const allowed = methodsOf(layersOf(path)).join(', ');
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
    methodsForTenants: (path) => methodsOf(layersOf(path).filter((layer) => layersForTenants.has(layer))),
    install: (app) => {
      app
        .use(requireHostHeader)
        .use(async (context, next) => {
          const { path, method } = context;
          const fixed = layersOfFixedPaths.get(path);
          const isRouted = fixed === undefined ? isDecodable(path) : methodsOf(fixed).includes(method);
          await (isRouted ? next() : writeRoutingError(context, next));
        })
        .use(router.routes())
        .use(writeRoutingError);
    },
  };
}

type Layer = ReturnType<Router['register']>;

/** The declarations of routes that take no portal sessions. */
const closedToTenants: readonly TenantAccess[] = ['forbidden', 'public'];

function methodsOf(layers: readonly Layer[]): readonly string[] {
  return [...new Set(layers.flatMap(({ methods }) => methods))].sort();
}

function stepsOf(route: Route, steps: RouteSteps) {
  const { authentication, rateLimit, authorization, unsentBytesLimit, compression } = steps;
  return [
    setRoute(route),
    ...(isCompressed(route) ? [compression] : []),
    ...(route.access === 'api-key'
      ? [authentication, rateLimit, checkOrigin, authorization, requireKnownMode]
      : []),
    ...(route.isProbe === true ? [] : [unsentBytesLimit]),
    ...(route.isLiveOnly === true ? [requireLiveMode] : []),
    ...bodySteps(route, steps),
    respond(route, steps),
  ];
}

function bodySteps(route: Route, steps: RouteSteps): readonly ApiMiddleware[] {
  if (route.body === noBody) {
    return [];
  }
  if (route.events !== undefined) {
    return [steps.eventBodies[route.events]];
  }
  const jsonBody = steps.jsonBody(route.maximumBodyBytes);
  return [route.bodyIsOptional === true ? optionalBody(jsonBody) : jsonBody];
}

function setRoute(route: Route): ApiMiddleware {
  return (context, next) => {
    context.state.route = route;
    return next();
  };
}

function respond(route: Route, { clientOf, idempotency }: RouteSteps): RouterMiddleware<RequestState> {
  return async (context) => {
    const { caller, body, posted } = context.state;
    const [id = ''] = Object.values<string>(context.params);
    const result = await route.respond({
      caller,
      body,
      posted,
      query: readQuery(context.querystring),
      id,
      client: clientOf(context, route),
      runOnce: (owner, handle, restore) => {
        const content = posted?.content ?? (body === null ? [] : [body.bytes]);
        return idempotency.run({ route, id, message: context.req, content }, owner, handle, restore);
      },
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
