import type { Scope } from './account.js';
import type { Role } from './user.js';

const readScopes: readonly Scope[] = ['events:read', 'webhooks:read', 'event-types:read', 'tenants:read'];

/** The lists name each scope, so that a new scope gives no role more permissions. Only owners change tenants. */
const scopesByRole: Readonly<Record<Role, readonly Scope[] | null>> = {
  viewer: readScopes,
  developer: [...readScopes, 'events:write', 'webhooks:write', 'event-types:write'],
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

/** The scopes that a portal session can have. An API key of a tenant has all of them. */
export const capabilities = [
  'webhooks:read',
  'webhooks:write',
  'events:read',
  'events:write',
] as const satisfies readonly Scope[];

export type Capability = (typeof capabilities)[number];

/** The permissions of a tenant caller. Every tenant caller may read the event types. */
export function tenantScopes(given: readonly Capability[]): readonly Scope[] {
  return [...given, 'event-types:read'];
}
