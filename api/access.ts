import type { Scope } from '../shared/domain/account.js';

/**
 * Who is let in where scopes do not say it: whoever may read anything, whoever has a session, an owner with one. Keys of API
 * clients never manage people.
 */
export type Audience = 'readers' | 'sessions' | 'sessions of owners';

/** What an operation asks of its callers. */
export interface Requirement {
  /** What a scoped key, or a role that is not the owner's, must have. Null where none is let in. */
  readonly scope: Scope | null;
  /** Takes the place of the scope. */
  readonly audience?: Audience;
}
