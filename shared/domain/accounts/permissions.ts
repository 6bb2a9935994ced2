import { scopes, type Scope } from './account.js';
import type { Role } from './user.js';

const scopesByRole: Readonly<Record<Role, readonly Scope[] | null>> = {
  viewer: ['events:read', 'webhooks:read'],
  developer: scopes,
  owner: null,
};

/** The permissions of a user's role, as scopes of an API key; null for all permissions. */
export function scopesOfRole(role: Role): readonly Scope[] | null {
  return scopesByRole[role];
}

/** Whether the scopes include the permission to read a resource. */
export function mayRead(scopes: readonly Scope[] | null): boolean {
  return scopes === null || scopes.some((scope) => scope.endsWith(':read'));
}
