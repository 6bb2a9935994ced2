import type Koa from 'koa';

import type { Plan, Scope } from '../../shared/domain/accounts/account.js';
import type { Role } from '../../shared/domain/accounts/user.js';
import type { Actor, Mode } from '../../shared/domain/core/fact.js';
import type { JsonObjectText } from '../../shared/domain/events/jsonText.js';

/** A request body: its bytes and the parsed text. */
export interface JsonBody {
  readonly bytes: Buffer;
  readonly text: JsonObjectText;
}

/** The state that one step of a request sets for later steps. A field is null until its step has run. */
export interface RequestState {
  requestId: string;
  /** The route of the route table that matches the request. */
  route: (AccessRequirement & { readonly path: string }) | null;
  caller: Caller | null;
  body: JsonBody | null;
}

export type ApiContext = Koa.ParameterizedContext<RequestState>;

export type ApiMiddleware = Koa.Middleware<RequestState>;

/**
 * The permitted callers of an operation without a scope:
 * - `readers`: callers with any read scope
 * - `sessions`: signed-in users
 * - `sessions of owners`: signed-in owners, because API keys never manage users
 */
export type Audience = 'readers' | 'sessions' | 'sessions of owners';

export interface AccessRequirement {
  /**
   * The scope that a scoped key or a role other than owner needs. If the scope is null, scoped keys and other roles are
   * not allowed.
   */
  readonly scope: Scope | null;
  /** The permitted callers of an operation without a scope. */
  readonly audience?: Audience;
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
}
