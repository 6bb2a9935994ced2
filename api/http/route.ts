import type { IncomingMessage } from 'node:http';

import { z } from 'zod';
import type { Identity } from '../../shared/domain/core/identity.js';
import type { Requirement, JsonBody } from './context.js';
import type { Reply } from './answer.js';
import type { Caller } from './caller.js';
import type { ClientTrace } from '../../shared/domain/core/fact.js';
import type { ErrorCode } from './errorCodes.js';
import { isApiError } from './apiError.js';
import { validateBody, validateQuery } from './validation.js';

export type RouteMethod = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** A request as it reaches its route: not validated yet. */
export interface RouteRequest {
  readonly caller: Caller | null;
  /** The parameter of the path, `{id}` mostly, decoded; empty where the path has none. */
  readonly id: string;
  readonly query: QueryParameters;
  readonly body: JsonBody | null;
  readonly client: RequestClient;
  /** Runs what the handler does, once for all requests with one idempotency key. */
  readonly once: Idempotency;
}

/** The rest of a request, once all about it that can be told without the stored state was found to be right. */
export type CreateReply = (identity: Identity) => Promise<Reply>;

/** A request of which only the key that it came with is not known yet. */
export interface IdempotentRequest {
  readonly route: { readonly method: string; readonly path: string };
  /** The `{id}` of its path. */
  readonly id: string;
  readonly message: Pick<IncomingMessage, 'headers' | 'headersDistinct'>;
  readonly body: JsonBody | null;
}

/** The account and mode that an idempotency key belongs to. */
export type KeyOwner = Pick<Caller, 'accountId' | 'mode'>;

/** Runs the rest of a request: once for all requests with one idempotency key. */
export type Idempotency = (caller: KeyOwner, make: CreateReply) => Promise<Reply>;

/** Where a request comes from. */
export interface RequestClient {
  readonly trace: ClientTrace;
  /** The header `Cookie`. */
  readonly cookies: string | undefined;
  /** The value of a session's cookie; null where it has none. */
  readonly sessionValue: string | null;
  /** The header `Last-Event-ID`, of one that follows a stream on. */
  readonly lastEventId: string | null;
  /** Whether a request with the same headers would still be let in. Throws UnavailableError where that cannot be told. */
  isStillLetIn: () => Promise<boolean>;
}

/** A part of the API, as its description groups the operations. */
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

/** What the API's description says of an operation beside what follows from the rest of its route. */
export interface RouteDescription {
  /** Generated clients name their functions by it: it never changes. */
  readonly operationId: string;
  readonly tag: Tag;
  /** What it does, as a command in a few words. */
  readonly summary: string;
  /** What its caller has to know, in CommonMark. */
  readonly description: string;
  /** JSON of a request and of a success. */
  readonly examples?: { readonly body?: unknown; readonly response: unknown };
}

/** One operation of the API: everything that routing, validation and its description need. */
export interface Route extends RouteDescription, Requirement {
  readonly method: RouteMethod;
  /** As @koa/router writes it: `/v1/events/:id`. */
  readonly path: string;
  /** Whether it takes an API key or a session, or answers anyone. */
  readonly access: 'api-key' | 'anyone';
  /** `noBody` where it takes none. */
  readonly body: z.ZodType;
  /** Set where test keys are refused, before anything else of the request is looked at. */
  readonly isLiveOnly?: true;
  /** The largest body in bytes, if it is smaller than that of other routes. */
  readonly maximumBodyBytes?: number;
  /** Whether it is for an orchestrator or a monitor, and answered whatever the client has not read. */
  readonly isProbe?: true;
  /** Set where all its fields are optional, so that a request may come without a body: it is as one with `{}`. */
  readonly bodyIsOptional?: true;
  readonly query: z.ZodType;
  readonly successStatus: number;
  /** Those that a success has of its own. */
  readonly successHeaders?: readonly ('Location' | 'Set-Cookie')[];
  /** The JSON of a success. Null where it is another format. */
  readonly response: z.ZodType | null;
  /** A success of another status, which the handler gives. */
  readonly otherSuccess?: {
    readonly status: number;
    readonly response: z.ZodType;
    readonly example: unknown;
  };
  /** Of an answer that is no JSON: `text/plain` where it is left out. */
  readonly mediaType?: 'text/plain' | 'text/html' | 'text/css' | 'text/event-stream';
  /** What the path's parameter is, where it is not the id of a resource, and all that it may be. */
  readonly pathParameter?: { readonly description: string; readonly values: readonly string[] };
  /** Whether caches may keep the answer, and ask by its ETag whether it is still the same. */
  readonly isCacheable?: boolean;
  /** Set if its answers contain a secret: they are never compressed. */
  readonly hasSecret?: true;
  /** Where the answer that is no success has the form of a success too. */
  readonly failureStatus?: number;
  /** Set where it is no part of what the API's description is about: files of a page. */
  readonly isUndescribed?: true;
  /** What its handler and its schemas refuse with. What the steps before it refuse with follows from its access and its body. */
  readonly errors: readonly ErrorCode[];
  respond: (request: RouteRequest) => Promise<Reply>;
}

export const noBody = z.null();
export const noQuery = z.strictObject({});

/** A request as a handler gets it. */
export interface KeyRequest<Body, Query> {
  readonly caller: Caller;
  readonly id: string;
  readonly body: Body;
  readonly query: Query;
  readonly client: RequestClient;
  /** What it gives to what it makes or changes. */
  readonly identity: Identity;
  /** The bytes of a top-level member of the body, as they were sent. */
  bytesOf: (member: string) => Buffer;
}

export type KeyHandler<Body extends z.ZodType, Query extends z.ZodType> = (
  request: KeyRequest<z.output<Body>, z.output<Query>>,
) => Promise<Reply>;

interface KeyRouteDefinition<Body extends z.ZodType, Query extends z.ZodType> extends Omit<
  Route,
  'access' | 'respond'
> {
  readonly body: Body;
  readonly query: Query;
  readonly handle: KeyHandler<Body, Query>;
}

/** A route for callers with an API key or a session. Its handler gets what its schemas have let through, typed. */
export function keyRoute<Body extends z.ZodType, Query extends z.ZodType>({
  handle,
  ...route
}: KeyRouteDefinition<Body, Query>): Route {
  const absentBody = route.bodyIsOptional === true ? {} : null;
  return {
    ...route,
    access: 'api-key',
    respond: async ({ caller, id, query: givenQuery, body: givenBody, client, once }) => {
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
      return once(caller, (identity) =>
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

/** Whether requests of this route may have an idempotency key. */
export function takesIdempotencyKey({ method, access }: Pick<Route, 'method' | 'access'>): boolean {
  return method === 'POST' && access === 'api-key';
}

interface OpenRouteDefinition
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
  /** None where it is left out. */
  readonly errors?: Route['errors'];
  readonly handle: (request: Pick<RouteRequest, 'id'>) => Promise<Reply>;
}

/** A route that anyone may read: health, metrics, and what describes the API. It takes no parameters and ignores those it is given. */
export function openRoute({ handle, errors = [], ...route }: OpenRouteDefinition): Route {
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

export type OpenHandler<Body extends z.ZodType> = (
  request: Pick<RouteRequest, 'client'> & { readonly body: z.output<Body> },
) => Promise<Reply>;

interface OpenPostDefinition<Body extends z.ZodType>
  extends
    RouteDescription,
    Pick<Route, 'path' | 'maximumBodyBytes' | 'successStatus' | 'successHeaders' | 'response' | 'errors'> {
  readonly body: Body;
  readonly handle: OpenHandler<Body>;
}

/** A route that anyone may post to: people sign in with it. */
export function openPost<Body extends z.ZodType>({ handle, ...route }: OpenPostDefinition<Body>): Route {
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

/** The parameters of a query: a list where one is given more than once. */
export type QueryParameters = Readonly<Record<string, string | readonly string[]>>;

const none: QueryParameters = {};

/** Reads what stands behind the `?` of a request, as browsers write forms (application/x-www-form-urlencoded). */
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
