import type { RecordContext } from '../core/fact.js';

/** The tenant of a delivery. Both fields are missing from a delivery without a tenant. */
export interface DeliveryTenant {
  /** The tenant of the event. */
  readonly tenantId?: string | null;
  /** The tenancy of the webhook. */
  readonly tenancy?: string | null;
}

/** The fields of a tenant, which documents and records may lack. */
interface GivenTenant {
  readonly tenantId?: string | null | undefined;
  readonly tenancy?: string | null | undefined;
}

const none = {};

/** The fields of the tenant of a delivery, a webhook or a replay. The result is empty without a tenant. */
export function tenantFieldsOf({ tenantId = null, tenancy = null }: GivenTenant): DeliveryTenant {
  return tenantId === null && tenancy === null ? none : { tenantId, tenancy };
}

/**
 * The fields of the tenant in the context of a record about a delivery.
 * @param eventOffset the offset of the event in its home partition, or null if it is unknown
 */
export function tenantContext(
  { tenantId = null, tenancy = null }: GivenTenant,
  eventOffset: number | null,
): Pick<RecordContext, 'tenantId' | 'tenancy' | 'eventOffset'> {
  if (tenantId === null) {
    return tenancy === null ? none : { tenancy };
  }
  return { tenantId, tenancy, eventOffset };
}

/** The tenant in the context of a record about a delivery of a stored event. */
export function tenantOfDelivery(
  { tenantId, homeOffset }: { readonly tenantId?: string; readonly homeOffset?: number },
  { tenancy }: Pick<GivenTenant, 'tenancy'>,
): ReturnType<typeof tenantContext> {
  return tenantContext({ tenantId, tenancy }, homeOffset ?? null);
}

/** The account or tenant whose limits a request uses. The requests of tenant callers use no limit of their account. */
export interface LimitOwner {
  readonly accountId: string;
  /** The life of the tenant of a tenant caller, or null for a credential of the account. */
  readonly lifeId: string | null;
}

/** The key of a limit of an account, or of a limit that all tenants of the account have together. */
export function commonLimitKey({ accountId, lifeId }: LimitOwner): string {
  return lifeId === null ? accountId : `${accountId}/tenants`;
}
