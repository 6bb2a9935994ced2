/** The tenant of a webhook that gets the events of every tenant, and events without a tenant. */
export const everyTenant = '*';

/** The form of a tenant id. Some ids of this form are reserved. */
export const tenantIdPattern = /^[A-Za-z0-9_.:-]{1,128}$/;

/**
 * Ids that have another meaning: `null` selects resources without a tenant, and clients remove `.` and `..` from paths
 * (RFC 3986 section 5.2.4).
 */
const reservedIds: readonly string[] = ['null', '.', '..'];

/** Whether a tenant can have this id: it has the form of a tenant id, and is not reserved. */
export function isTenantId(text: string): boolean {
  return tenantIdPattern.test(text) && !reservedIds.includes(text);
}
