import type Koa from 'koa';

import type { Plan, Scope } from '../../shared/domain/accounts/account.js';
import type { Role } from '../../shared/domain/accounts/user.js';
import type { Actor, Mode } from '../../shared/domain/core/fact.js';
import type { PostedAttributes } from '../../shared/domain/events/event.js';
import type { JsonObjectText } from '../../shared/domain/events/jsonText.js';
import type { ApiError } from './apiError.js';

/** A request body: its bytes and the parsed text. */
export interface JsonBody {
  readonly bytes: Buffer;
  readonly text: JsonObjectText;
}

/** An event of a request that contains several events, before the event has an id. */
export interface PostedEvent {
  readonly type: string;
  /** The JSON text of an object, byte for byte as the client sent it. */
  readonly data: Buffer;
  /** The tenant that the request names for the event; undefined if it names none. */
  readonly tenantId: string | null | undefined;
  /** The parts of the event's idempotency key, which begin with the name of its kind, or null. */
  readonly key: readonly string[] | null;
  /** The attributes of a CloudEvent, or null for another event. */
  readonly attributes: PostedAttributes | null;
  /** The place of the event in the request, such as `events[3]`. The place is empty if the request has one event. */
  readonly place: string;
  /** The place of the event's tenant, such as `events[3].tenantId`. */
  readonly tenantPlace: string;
  /** The place of the event's idempotency key, such as `events[3].idempotencyKey`. */
  readonly keyPlace: string;
}

/** An event of a request, or the error of an invalid event. */
export type PostedItem = PostedEvent | ApiError;

/** The events of a request body. */
export interface PostedEvents {
  /** The parts of the request in which two requests with the same idempotency key must not differ. */
  readonly content: readonly (string | Buffer)[];
  /** The events in the order of the request, or the error of the whole request. */
  readonly items: readonly PostedItem[] | ApiError;
  /** Whether the response contains a result for each event. Otherwise the request has one event. */
  readonly isBatch: boolean;
}

/** The state that one step of a request sets for later steps. A field is null until its step has run. */
export interface RequestState {
  requestId: string;
  /** The route of the route table that matches the request. */
  route: (AccessRequirement & { readonly path: string }) | null;
  caller: Caller | null;
  body: JsonBody | null;
  /** The events of a body with many events. */
  posted: PostedEvents | null;
}

export type ApiContext = Koa.ParameterizedContext<RequestState>;

export type ApiMiddleware = Koa.Middleware<RequestState>;

/**
 * The permitted callers of an operation without a scope:
 * - `readers`: callers with any read scope
 * - `sessions`: signed-in users
 * - `sessions of owners`: signed-in owners, because API keys never manage users
 * - `tenants`: portal sessions and API keys of tenants
 */
export type Audience = 'readers' | 'sessions' | 'sessions of owners' | 'tenants';

/**
 * What a tenant caller (a request with a portal session or an API key of a tenant) may do with an operation:
 * - `own`: with resources of its tenant, if its scopes permit the operation
 * - `posting`: post events of its tenant with an API key; a portal session may not
 * - `shared`: read what all tenants of an account share
 * - `forbidden`: nothing
 * - `public`: what every client may do without credentials
 */
export type TenantAccess = 'own' | 'posting' | 'shared' | 'forbidden' | 'public';

/** The kind of the resource that the path of an operation names. */
export type NamedResource = 'webhook' | 'event' | 'replay' | 'event-type' | 'api-key' | 'user' | 'tenant';

export interface AccessRequirement {
  /**
   * The scope that a scoped key or a role other than owner needs. If the scope is null, scoped keys and other roles are
   * not allowed.
   */
  readonly scope: Scope | null;
  /** A second scope, which a caller with scopes needs too. */
  readonly otherScope?: Scope;
  /** The permitted callers of an operation without a scope. */
  readonly audience?: Audience;
  readonly tenants: TenantAccess;
  /** The kind of the resource that the path names, or null if the path names no resource. */
  readonly names: NamedResource | null;
}

/** The user of a session, as responses show it. */
export interface SessionUser {
  readonly id: string;
  readonly name: string | null;
  readonly email: string;
  readonly role: Role;
}

export interface CallerSession {
  /** The SHA-256 of the session's value. */
  readonly id: string;
  readonly csrfToken: string;
  readonly user: SessionUser;
}

/** The tenant of a caller. The caller sees only resources of this life of the tenant. */
export interface TenantScope {
  readonly tenantId: string;
  /** The `ce_id` of the record that has created the tenant. Another life of the same id is another tenant. */
  readonly lifeId: string;
  /** The offsets from which the tenant has events, by partition of `events`. */
  readonly eventsFrom: readonly number[];
  readonly credential: 'portal' | 'api-key';
  /** Present for a portal session. */
  readonly portal?: PortalCredential;
}

export interface PortalCredential {
  /** The SHA-256 of the portal token. */
  readonly sessionId: string;
  /** The origins of the pages that may use the portal session from a browser. */
  readonly origins: readonly string[];
}

/** The caller of a request: an API key, or a user with a session. */
export interface Caller {
  readonly accountId: string;
  readonly mode: Mode;
  readonly plan: Plan;
  /** The limit that the plan sets for each mode. */
  readonly requestsPerSecond: number;
  /** The scopes of the caller, or null for unlimited access. */
  readonly scopes: readonly Scope[] | null;
  readonly isSuspended: boolean;
  /** The expiry of the API key. */
  readonly expiresAt: Date | null;
  /** The actor in the records of the caller's changes. */
  readonly actor: Actor;
  /** The session of the caller, or null for a request with an API key. */
  readonly session: CallerSession | null;
  /** The tenant of the credential, or null for a credential of the account. */
  readonly tenant: TenantScope | null;
}
