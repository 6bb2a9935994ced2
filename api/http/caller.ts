import type { Plan, Scope } from '../../shared/domain/accounts/account.js';
import type { Actor, Mode } from '../../shared/domain/core/fact.js';
import type { Role } from '../../shared/domain/accounts/user.js';

/** The person of a session, as answers show them. */
export interface SessionUser {
  readonly id: string;
  readonly name: string | null;
  readonly email: string;
  readonly role: Role;
}

/** The session that came with a request. */
export interface CallerSession {
  /** The SHA-256 of its value. */
  readonly id: string;
  readonly csrfToken: string;
  readonly user: SessionUser;
}

/** Who makes a request: an account's API key, or a person with a session. */
export interface Caller {
  readonly accountId: string;
  readonly mode: Mode;
  readonly plan: Plan;
  /** What the plan allows in each mode. */
  readonly requestsPerSecond: number;
  /** Null where it may do everything. */
  readonly scopes: readonly Scope[] | null;
  readonly isSuspended: boolean;
  /** When the key ends to work. */
  readonly expiresAt: Date | null;
  /** Who made a change, as records say it. */
  readonly actor: Actor;
  /** Null where it came with a key. */
  readonly session: CallerSession | null;
}
