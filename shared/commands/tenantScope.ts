import type { Mode } from '../domain/core/fact.js';
import { tenantKey } from '../domain/tenants/tenant.js';
import { everyTenant } from '../domain/tenants/tenantId.js';
import type { Command } from './commandRunner.js';

/** A resource of an account that may belong to a tenant: a webhook, a replay or an event. */
export interface TenantResource {
  readonly accountId: string;
  readonly mode: Mode;
  readonly tenantId?: string | null | undefined;
}

/**
 * The scope of commands on a resource. The tenant of a resource never changes, so a command can read the resource before
 * it has the lease.
 */
export function scopeOf({
  accountId,
  mode,
  tenantId = null,
}: TenantResource): Pick<Command<unknown>, 'accountId' | 'tenant'> {
  return { accountId, tenant: tenantId === null ? null : { mode, tenantId } };
}

/**
 * The scope of commands that also depend on the life of the resource's tenant, such as the creation of a webhook. Such a
 * command sees every earlier creation and deletion of the tenant.
 */
export function scopeInLife(
  resource: TenantResource,
): Pick<Command<unknown>, 'accountId' | 'tenant' | 'alsoReads'> {
  const { accountId, tenantId = null } = resource;
  return {
    ...scopeOf(resource),
    ...(tenantId !== null &&
      tenantId !== everyTenant && {
        alsoReads: [{ topic: 'tenants', key: tenantKey(accountId, tenantId) }],
      }),
  };
}
