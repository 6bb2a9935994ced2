import Router, { type RouterMiddleware } from '@koa/router';
import type Koa from 'koa';

import { writeError, writeReply } from './http/answer.js';
import type { ApiContext, ApiMiddleware, RequestState } from './http/context.js';
import { isCompressed } from './middleware/compression.js';
import { orNoBody } from './middleware/jsonBody.js';
import { requireLiveMode } from './middleware/permission.js';
import { requireKnownMode } from './middleware/sessionRules.js';
import {
  readQuery,
  noBody,
  type RequestClient,
  type Route,
  type Idempotency,
  type IdempotentRequest,
} from './http/route.js';
import { apiError, type ApiError } from './http/apiError.js';

/** The steps between a route and its handler, in the order in which a request is checked. */
export interface RouteSteps {
  readonly authentication: ApiMiddleware;
  readonly rateLimit: ApiMiddleware;
  readonly permission: ApiMiddleware;
  /** Bounds what the response takes in memory until its client has read it. */
  readonly sending: ApiMiddleware;
  readonly jsonBody: (maximumBytes?: number) => ApiMiddleware;
  readonly compression: ApiMiddleware;
  readonly clientOf: (context: ApiContext, route: Route) => RequestClient;
  readonly once: (request: IdempotentRequest) => Idempotency;
}

export interface Routing {
  /** Has the application hand each request to its route. */
  install: (app: Koa<RequestState>) => void;
  /** What to answer where no route takes this method and path: 404, or 405 with the methods that the path knows. */
  refuse: (path: string) => ApiError;
}

/** The route table as middleware. */
export function createRouting(routes: readonly Route[], steps: RouteSteps): Routing {
  const router = new Router<RequestState>({ sensitive: true, strict: true });
  for (const route of routes) {
    router.register(route.path, [route.method], stepsOf(route, steps));
  }

  const refuse = (path: string): ApiError => {
    const layers = isDecodable(path) ? router.match(path, '').path : [];
    const allowed = [...new Set(layers.flatMap(({ methods }) => methods))].sort().join(', ');
    return allowed === ''
      ? apiError(
          'route_not_found',
          'There is nothing at this path: check its spelling and case, and that it does not end with a slash.',
        )
      : apiError('method_not_allowed', `This path takes ${allowed}: use one of them.`, {
          headers: { Allow: allowed },
        });
  };

  const refuseUnmatched: ApiMiddleware = (context) => {
    writeError(context, refuse(context.path));
  };

  return {
    refuse,
    install: (app) => {
      app
        .use(refuseWithoutHost)
        .use(async (context, next) => {
          await (isDecodable(context.path) ? next() : refuseUnmatched(context, next));
        })
        .use(router.routes())
        .use(refuseUnmatched);
    },
  };
}

function stepsOf(route: Route, steps: RouteSteps) {
  const { authentication, rateLimit, permission, sending, compression, clientOf, once } = steps;
  const jsonBody = steps.jsonBody(route.maximumBodyBytes);
  const enter: ApiMiddleware = (context, next) => {
    context.state.route = route;
    return next();
  };
  const respond: RouterMiddleware<RequestState> = async (context) => {
    const { caller, body } = context.state;
    const query = readQuery(context.querystring);
    const [id = ''] = Object.values<string>(context.params);
    const runOnce = once({ route, id, message: context.req, body });
    const client = clientOf(context, route);
    const reply = await route.respond({ caller, body, query, id, client, once: runOnce });
    writeReply(context, reply, route.successStatus);
  };
  return [
    enter,
    ...(isCompressed(route) ? [compression] : []),
    ...(route.access === 'api-key' ? [authentication, rateLimit, permission, requireKnownMode] : []),
    ...(route.isProbe === true ? [] : [sending]),
    ...(route.isLiveOnly === true ? [requireLiveMode] : []),
    ...(route.body === noBody ? [] : [route.bodyIsOptional === true ? orNoBody(jsonBody) : jsonBody]),
    respond,
  ];
}

/** RFC 9112 section 3.2. Node's own check would answer without a request id. */
const refuseWithoutHost: ApiMiddleware = async (context, next) => {
  if (context.req.headers.host === undefined && context.req.httpVersion === '1.1') {
    writeError(context, apiError('http_invalid', 'Send a Host header: HTTP/1.1 asks for one.'));
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
