import type { Mode } from './fact.js';

/** The tenant whose resources a command concerns. `*` stands for the webhooks of every tenant. */
export interface ScopeTenant {
  readonly mode: Mode;
  readonly tenantId: string;
}

/** The resources whose commands one lease serializes: those of one tenant, or those of an account without a tenant. */
export interface CommandScope {
  readonly accountId: string;
  readonly tenant: ScopeTenant | null;
}

/** The name of a scope's lease, which the ids of its fences contain too. */
export function scopeNameOf({ accountId, tenant }: CommandScope): string {
  return tenant === null ? accountId : `${accountId}/${tenant.mode}/${tenant.tenantId}`;
}

/** The name of the floor of an account: the fences that concern the scopes of all its tenants. */
export function floorNameOf(accountId: string): string {
  return `${accountId}/floor`;
}
