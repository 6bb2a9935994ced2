import type { Route } from '../../../api/http/route.js';
import type { Scope } from '../../../shared/domain/accounts/account.js';

/** The kinds of credentials that the matrix sends to every operation. */
export type Credential =
  | { readonly kind: 'none' }
  | { readonly kind: 'full key' }
  | { readonly kind: 'scoped key'; readonly scope: Scope }
  | { readonly kind: 'portal session'; readonly capabilities: readonly Scope[] }
  | { readonly kind: 'expired portal session' }
  | { readonly kind: 'expired key' }
  | { readonly kind: 'tenant key' }
  | { readonly kind: 'user'; readonly role: 'owner' | 'developer' | 'viewer' };

/** What the permission check answers: the error, or null if the request is let in. */
export type Refusal =
  | '401 api_key_missing'
  | '401 api_key_expired'
  | '401 portal_session_expired'
  | '403 insufficient_scope'
  | null;

type Declaration = Pick<Route, 'access' | 'scope' | 'otherScope' | 'audience' | 'tenants'>;

const forbidden = '403 insufficient_scope';
const allCapabilities: readonly Scope[] = ['webhooks:read', 'webhooks:write', 'events:read', 'events:write'];
const developerWrites: readonly (Scope | null)[] = ['events:write', 'webhooks:write', 'event-types:write'];

/** The answer that follows from the declaration of an operation, without the code of the API. */
export function expectedRefusal(operation: Declaration, credential: Credential): Refusal {
  if (operation.access === 'anyone') {
    return null;
  }
  switch (credential.kind) {
    case 'none':
      return '401 api_key_missing';
    case 'expired portal session':
      return '401 portal_session_expired';
    case 'expired key':
      return '401 api_key_expired';
    case 'portal session':
    case 'tenant key':
      return isForTenantCredential(operation, credential) ? null : forbidden;
    case 'full key':
      return isForKeys(operation) ? null : forbidden;
    case 'scoped key':
      return isForKeys(operation) && isPermitted(operation, credential.scope) ? null : forbidden;
    case 'user':
      return isForUser(operation, credential.role) ? null : forbidden;
    default: {
      const never: never = credential;
      return never;
    }
  }
}

function isForTenant({ tenants, scope, otherScope }: Declaration, capabilities: readonly Scope[]): boolean {
  const hasOther = otherScope === undefined || capabilities.includes(otherScope);
  return (
    tenants === 'shared' || (tenants === 'own' && scope !== null && capabilities.includes(scope) && hasOther)
  );
}

type TenantCredential = Extract<Credential, { kind: 'portal session' | 'tenant key' }>;

/** The key of a tenant has all capabilities of a portal session, and also posts events. */
function isForTenantCredential(operation: Declaration, credential: TenantCredential): boolean {
  return credential.kind === 'portal session'
    ? isForTenant(operation, credential.capabilities)
    : operation.tenants === 'posting' || isForTenant(operation, allCapabilities);
}

function isForKeys({ audience }: Declaration): boolean {
  return audience === undefined || audience === 'readers';
}

/** A key with a single scope may do no operation that needs two. */
function isPermitted({ audience, scope, otherScope }: Declaration, given: Scope): boolean {
  return audience === 'readers' ? given.endsWith(':read') : scope === given && otherScope === undefined;
}

function isForUser({ audience, scope }: Declaration, role: 'owner' | 'developer' | 'viewer'): boolean {
  if (audience === 'tenants' || role === 'owner') {
    return audience !== 'tenants';
  }
  return audience === undefined ? isForRole(role, scope) : audience === 'readers' || audience === 'sessions';
}

function isForRole(role: 'developer' | 'viewer', scope: Scope | null): boolean {
  const isRead = scope?.endsWith(':read') ?? false;
  return isRead || (role === 'developer' && developerWrites.includes(scope));
}
