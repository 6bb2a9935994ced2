import { scopes, type Scope } from './account.js';
import type { Role } from './user.js';

const scopesByRole: Readonly<Record<Role, readonly Scope[] | null>> = {
  viewer: ['events:read', 'webhooks:read'],
  developer: scopes,
  owner: null,
};

/** What a role may do, as the scopes of a key say it; null for everything. */
export function scopesOfRole(role: Role): readonly Scope[] | null {
  return scopesByRole[role];
}

/** Whether it may see anything at all. */
export function mayRead(scopes: readonly Scope[] | null): boolean {
  return scopes === null || scopes.some((scope) => scope.endsWith(':read'));
}
