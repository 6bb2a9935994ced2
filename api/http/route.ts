import type { IncomingMessage } from 'node:http';

import { z } from 'zod';

import type { ClientTrace } from '../../shared/domain/core/fact.js';
import type { RequestIdentity } from '../../shared/domain/core/requestIdentity.js';
import { isApiError } from './apiError.js';
import type { AccessRequirement, Caller, JsonBody } from './context.js';
import type { ErrorCode } from './errorCodes.js';
import type { HandlerResult } from './response.js';
import { validateBody, validateQuery } from './validation.js';

export type RouteMethod = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** A request before validation. */
export interface RouteRequest {
  readonly caller: Caller | null;
  /** The decoded path parameter, usually `{id}`. Empty if the path has none. */
  readonly id: string;
  readonly query: QueryParameters;
  readonly body: JsonBody | null;
  readonly client: RequestClient;
  /** Runs the handler once for all requests with one idempotency key. */
  readonly runOnce: (owner: KeyOwner, handle: RunHandler) => Promise<HandlerResult>;
}

/** The handler of a valid request. The identity supplies the ids, the time and the secret of everything that it creates. */
export type RunHandler = (identity: RequestIdentity) => Promise<HandlerResult>;

/** A request whose idempotency key is not read yet. */
export interface IdempotentRequest {
  readonly route: { readonly method: string; readonly path: string };
  /** The `{id}` of its path. */
  readonly id: string;
  readonly message: Pick<IncomingMessage, 'headers' | 'headersDistinct'>;
  readonly body: JsonBody | null;
}

/** The account and mode that own an idempotency key. */
export type KeyOwner = Pick<Caller, 'accountId' | 'mode'>;

export interface Idempotency {
  /** Runs a handler once for all requests with one idempotency key. */
  readonly run: (request: IdempotentRequest, owner: KeyOwner, handle: RunHandler) => Promise<HandlerResult>;
}

/** The client of a request. */
export interface RequestClient {
  readonly trace: ClientTrace;
  /** The header `Cookie`. */
  readonly cookies: string | undefined;
  /** The value of the session cookie. Null if there is none. */
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
  | 'Replays'
  | 'API keys'
  | 'Account'
  | 'Sign-in'
  | 'Audit log'
  | 'Operations'
  | 'Description';

/** The part of an operation in the OpenAPI document that does not follow from its route. */
export interface RouteDescription {
  /** Never changes, because generated clients name their functions after it. */
  readonly operationId: string;
  readonly tag: Tag;
  /** Imperative, in a few words. */
  readonly summary: string;
  /** CommonMark for clients. */
  readonly description: string;
  /** JSON of a request body and of a successful response. */
  readonly examples?: { readonly body?: unknown; readonly response: unknown };
}

/** One operation of the API. Routing, validation and the OpenAPI document follow from it. */
export interface Route extends RouteDescription, AccessRequirement {
  readonly method: RouteMethod;
  /** In the notation of @koa/router: `/v1/events/:id`. */
  readonly path: string;
  /** `api-key` requires an API key or a session. */
  readonly access: 'api-key' | 'anyone';
  /** `noBody` if the operation has no body. */
  readonly body: z.ZodType;
  /** Set if test keys are rejected, before any other check. */
  readonly isLiveOnly?: true;
  /** The largest body in bytes, if it differs from the default. */
  readonly maximumBodyBytes?: number;
  /** Set for orchestrators and monitors. The limit of unsent bytes does not apply. */
  readonly isProbe?: true;
  /** Set if all fields are optional. A request without a body is then equal to one with `{}`. */
  readonly bodyIsOptional?: true;
  readonly query: z.ZodType;
  readonly successStatus: number;
  /** The headers that only a successful response of this operation has. */
  readonly successHeaders?: readonly ('Location' | 'Set-Cookie')[];
  /** The JSON of a successful response. Null for another format. */
  readonly response: z.ZodType | null;
  /** A second success status, which the handler sets. */
  readonly otherSuccess?: {
    readonly status: number;
    readonly response: z.ZodType;
    readonly example: unknown;
  };
  /** The format if `response` is null. The default is `text/plain`. */
  readonly mediaType?: 'text/plain' | 'text/html' | 'text/css' | 'text/event-stream';
  /** The path parameter, if it is not the id of a resource. */
  readonly pathParameter?: { readonly description: string; readonly values: readonly string[] };
  /** Whether caches may store the response and revalidate it by its ETag. */
  readonly isCacheable?: boolean;
  /** Set if responses contain a secret. They are never compressed. */
  readonly hasSecret?: true;
  /** The status of a failure whose body has the schema of a success. */
  readonly failureStatus?: number;
  /** Set for files of a page. The OpenAPI document omits them. */
  readonly isUndescribed?: true;
  /** The error codes of the handler and the schemas. The codes of earlier steps follow from `access` and `body`. */
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
  /** Supplies the ids, the time and the secret of everything that the handler creates. */
  readonly identity: RequestIdentity;
  /** The bytes of a top-level member of the body, unchanged. */
  bytesOf: (member: string) => Buffer;
}

export type AuthenticatedHandler<Body extends z.ZodType, Query extends z.ZodType> = (
  request: HandlerRequest<z.output<Body>, z.output<Query>>,
) => Promise<HandlerResult>;

interface AuthenticatedRouteDefinition<Body extends z.ZodType, Query extends z.ZodType> extends Omit<
  Route,
  'access' | 'respond'
> {
  readonly body: Body;
  readonly query: Query;
  readonly handle: AuthenticatedHandler<Body, Query>;
}

/** A route that requires an API key or a session. Its handler receives the validated query and body. */
export function authenticatedRoute<Body extends z.ZodType, Query extends z.ZodType>({
  handle,
  ...route
}: AuthenticatedRouteDefinition<Body, Query>): Route {
  const absentBody = route.bodyIsOptional === true ? {} : null;
  return {
    ...route,
    access: 'api-key',
    respond: async ({ caller, id, query: givenQuery, body: givenBody, client, runOnce }) => {
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
          bytesOf: (member) => sliceOf(givenBody, member),
        }),
      );
    },
  };
}

/** Whether requests of this route may contain an idempotency key. */
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
  /** None by default. */
  readonly errors?: Route['errors'];
  readonly handle: (request: Pick<RouteRequest, 'id'>) => Promise<HandlerResult>;
}

/** A public GET route: health, metrics and documents. It ignores query parameters. */
export function publicRoute({ handle, errors = [], ...route }: PublicRouteDefinition): Route {
  return {
    ...route,
    method: 'GET',
    access: 'anyone',
    scope: null,
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

/** The parameters of a query. A repeated parameter is a list. */
export type QueryParameters = Readonly<Record<string, string | readonly string[]>>;

const none: QueryParameters = {};

/** The parameters of a query string (application/x-www-form-urlencoded). */
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
