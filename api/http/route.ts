import { z } from 'zod';

import type { ClientTrace } from '../../shared/domain/core/fact.js';
import type { RequestIdentity } from '../../shared/domain/core/requestIdentity.js';
import { isApiError } from './apiError.js';
import type { AccessRequirement, Caller, JsonBody, PostedEvents } from './context.js';
import type { ErrorCode } from './errorCodes.js';
import type { Owner } from './ownership.js';
import type { HandlerResult, HttpResponse, StoredResponse } from './response.js';
import { validateBody, validateQuery } from './validation.js';

export type RouteMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A request before validation. */
export interface RouteRequest {
  readonly caller: Caller | null;
  /** The decoded path parameter, usually `{id}`, or an empty text if the path has no parameter. */
  readonly id: string;
  readonly query: QueryParameters;
  readonly body: JsonBody | null;
  /** The events of the body, if the route takes events and the body is not a JSON object for `body`. */
  readonly posted: PostedEvents | null;
  readonly client: RequestClient;
  /** Runs the handler once for all requests with one idempotency key. */
  readonly runOnce: RunOnce;
}

/** Runs a handler once for all requests with one idempotency key. */
export type RunOnce = (owner: Owner, handle: RunHandler, restore?: RestoreResponse) => Promise<HandlerResult>;

/**
 * The handler of a valid request. The identity supplies the ids, the time and the secret of everything that the handler
 * creates.
 */
export type RunHandler = (identity: RequestIdentity) => Promise<HandlerResult>;

/** Completes a stored response from the repeated request, if the response was stored with `storedContent`. */
export type RestoreResponse = (stored: StoredResponse) => HttpResponse;

export interface RequestClient {
  readonly trace: ClientTrace;
  /** The value of the header `Cookie`. */
  readonly cookies: string | undefined;
  /** The value of the session cookie, or null if the request has none. */
  readonly sessionValue: string | null;
  /** The header `Last-Event-ID`, with which a client resumes a stream. */
  readonly lastEventId: string | null;
  /**
   * Whether another request with the same headers would be authorized.
   * @throws UnavailableError if a dependency is unavailable
   */
  isStillAuthorized: () => Promise<boolean>;
}

/** A group of operations in the OpenAPI document. */
export type Tag =
  | 'Events'
  | 'Webhooks'
  | 'Event types'
  | 'Tenants'
  | 'Replays'
  | 'API keys'
  | 'Account'
  | 'Customer portal'
  | 'Sign-in'
  | 'Audit log'
  | 'Operations'
  | 'Description';

/** The part of an operation in the OpenAPI document that does not follow from its route. */
export interface RouteDescription {
  /** The id of the operation. The id never changes, because generated clients name their functions after it. */
  readonly operationId: string;
  readonly tag: Tag;
  /** A summary of the operation in a few words, which begin with an imperative. */
  readonly summary: string;
  /** A description of the operation for clients, in CommonMark. */
  readonly description: string;
  /** Examples of the request body and of a successful response, as JSON. */
  readonly examples?: { readonly body?: unknown; readonly response: unknown };
}

/** One operation of the API. Routing, validation and the OpenAPI document are derived from the route. */
export interface Route extends RouteDescription, AccessRequirement {
  readonly method: RouteMethod;
  /** The path in the notation of @koa/router, such as `/v1/events/:id`. */
  readonly path: string;
  /** The callers of the route. `api-key` means that the request needs an API key or a session. */
  readonly access: 'api-key' | 'anyone';
  /** The schema of the body, or `noBody` if the operation has no body. */
  readonly body: z.ZodType;
  /** Whether test keys are rejected, before any other check. */
  readonly isLiveOnly?: true;
  /** The size limit of the body in bytes, if it differs from the default. */
  readonly maximumBodyBytes?: number;
  /** The kind of events in the body. A route with events also takes CloudEvents, which `body` does not describe. */
  readonly events?: 'single' | 'batch';
  /** Further media types of the body, for the OpenAPI document. */
  readonly otherBodies?: Readonly<Record<string, { readonly schema: z.ZodType; readonly example: unknown }>>;
  /** Whether the route is for orchestrators and monitors. The limit of unsent bytes does not apply to such a route. */
  readonly isProbe?: true;
  /** Whether all fields of the body are optional, so that a request without a body is equal to `{}`. */
  readonly bodyIsOptional?: true;
  readonly query: z.ZodType;
  readonly successStatus: number;
  /** The headers that only a successful response of this operation has. */
  readonly successHeaders?: readonly ('Location' | 'Set-Cookie')[];
  /** The schema of a successful response in JSON, or null for another format. */
  readonly response: z.ZodType | null;
  /** A second success status, which the handler sets. */
  readonly otherSuccess?: {
    readonly status: number;
    readonly response: z.ZodType;
    readonly example: unknown;
  };
  /** The media type of the response if `response` is null. The default media type is `text/plain`. */
  readonly mediaType?: 'text/plain' | 'text/html' | 'text/css' | 'text/event-stream';
  /** The path parameter, if the parameter is not the id of a resource. */
  readonly pathParameter?: { readonly description: string; readonly values: readonly string[] };
  /** Whether caches may store the response and revalidate it by its ETag. */
  readonly isCacheable?: boolean;
  /** Whether responses contain a secret. Responses with a secret are never compressed. */
  readonly hasSecret?: true;
  /** The status of a failure whose body has the schema of a success. */
  readonly failureStatus?: number;
  /** Whether the route serves files of a page. The OpenAPI document omits such a route. */
  readonly isUndescribed?: true;
  /**
   * The error codes of the handler and the schemas. The error codes of earlier steps follow from `access` and `body`.
   */
  readonly errors: readonly ErrorCode[];
  respond: (request: RouteRequest) => Promise<HandlerResult>;
}

export const noBody = z.null();
export const noQuery = z.strictObject({});

/** A valid request of an authenticated caller. */
export interface HandlerRequest<Body, Query> {
  readonly caller: Caller;
  readonly id: string;
  readonly body: Body;
  readonly query: Query;
  readonly client: RequestClient;
  /** The ids, the time and the secret of everything that the handler creates. */
  readonly identity: RequestIdentity;
  /** The time of `performance.now()` at which the request was complete. The waits of a request count from it. */
  readonly receivedAt: number;
  /** Returns the unchanged bytes of a top-level member of the body. */
  bytesOf: (member: string) => Buffer;
}

export type AuthenticatedHandler<Body extends z.ZodType, Query extends z.ZodType> = (
  request: HandlerRequest<z.output<Body>, z.output<Query>>,
) => Promise<HandlerResult>;

interface AuthenticatedRouteDefinition<Body extends z.ZodType, Query extends z.ZodType> extends Omit<
  Route,
  'access' | 'respond' | 'successStatus'
> {
  /** The default is 200. */
  readonly successStatus?: number;
  readonly body: Body;
  readonly query: Query;
  readonly handle: AuthenticatedHandler<Body, Query>;
}

/** A route that requires an API key or a session. The handler of the route receives the validated query and body. */
export function authenticatedRoute<Body extends z.ZodType, Query extends z.ZodType>({
  handle,
  ...route
}: AuthenticatedRouteDefinition<Body, Query>): Route {
  const absentBody = route.bodyIsOptional === true ? {} : null;
  return {
    successStatus: 200,
    ...route,
    access: 'api-key',
    respond: async ({ caller, id, query: givenQuery, body: givenBody, client, runOnce }) => {
      const receivedAt = performance.now();
      if (caller === null) {
        throw new Error(`${route.method} ${route.path} was reached without a caller`);
      }
      const query = validateQuery(route.query, givenQuery);
      if (isApiError(query)) {
        return query;
      }
      const body = validateBody(route.body, givenBody?.text.object ?? absentBody);
      if (isApiError(body)) {
        return body;
      }
      return runOnce(caller, (identity) =>
        handle({
          caller,
          id,
          client,
          query: query.value,
          body: body.value,
          identity,
          receivedAt,
          bytesOf: (member) => sliceOf(givenBody, member),
        }),
      );
    },
  };
}

/** Whether a request of this route may contain an idempotency key. */
export function takesIdempotencyKey({ method, access }: Pick<Route, 'method' | 'access'>): boolean {
  return method === 'POST' && access === 'api-key';
}

interface PublicRouteDefinition
  extends
    RouteDescription,
    Pick<
      Route,
      | 'path'
      | 'pathParameter'
      | 'response'
      | 'mediaType'
      | 'failureStatus'
      | 'isCacheable'
      | 'isProbe'
      | 'isUndescribed'
    > {
  /** The error codes of the route, by default none. */
  readonly errors?: Route['errors'];
  readonly handle: (request: Pick<RouteRequest, 'id'>) => Promise<HandlerResult>;
}

/** A public GET route for health, metrics or documents. The route ignores query parameters. */
export function publicRoute({ handle, errors = [], ...route }: PublicRouteDefinition): Route {
  return {
    ...route,
    method: 'GET',
    access: 'anyone',
    scope: null,
    tenants: 'public',
    names: null,
    body: noBody,
    query: noQuery,
    successStatus: 200,
    errors,
    respond: handle,
  };
}

export type PublicHandler<Body extends z.ZodType> = (
  request: Pick<RouteRequest, 'client'> & { readonly body: z.output<Body> },
) => Promise<HandlerResult>;

interface PublicPostRouteDefinition<Body extends z.ZodType>
  extends
    RouteDescription,
    Pick<Route, 'path' | 'maximumBodyBytes' | 'successStatus' | 'successHeaders' | 'response' | 'errors'> {
  readonly body: Body;
  readonly handle: PublicHandler<Body>;
}

/** A public POST route, for sign-in. */
export function publicPostRoute<Body extends z.ZodType>({
  handle,
  ...route
}: PublicPostRouteDefinition<Body>): Route {
  return {
    ...route,
    method: 'POST',
    access: 'anyone',
    scope: null,
    tenants: 'public',
    names: null,
    query: noQuery,
    respond: async ({ query: givenQuery, body: givenBody, client }) => {
      const query = validateQuery(noQuery, givenQuery);
      if (isApiError(query)) {
        return query;
      }
      const body = validateBody(route.body, givenBody?.text.object ?? null);
      return isApiError(body) ? body : handle({ client, body: body.value });
    },
  };
}

function sliceOf(body: JsonBody | null, member: string): Buffer {
  const span = body?.text.members.get(member);
  if (body === null || span === undefined) {
    throw new Error(`the body has no member ${member}`);
  }
  return body.bytes.subarray(span.start, span.end);
}

/** The parameters of a query string. The value of a repeated parameter is a list. */
export type QueryParameters = Readonly<Record<string, string | readonly string[]>>;

const none: QueryParameters = {};

/** Parses the parameters of a query string (application/x-www-form-urlencoded). */
export function readQuery(text: string): QueryParameters {
  if (text === '') {
    return none;
  }
  const parameters = new Map<string, string | readonly string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const earlier = parameters.get(name);
    parameters.set(name, earlier === undefined ? value : [earlier, value].flat());
  }
  return Object.fromEntries(parameters);
}
