import type { Mode } from '../../shared/domain/core/fact.js';
import type { Delivery } from '../../shared/domain/deliveries/delivery.js';
import { commonLimitKey, type LimitOwner } from '../../shared/domain/tenants/deliveryTenant.js';
import { apiError, type ApiError } from './apiError.js';
import type { Caller, TenantScope } from './context.js';

/** The owner of the resources that a caller sees: an account in one mode, or a tenant of the account. */
export type Owner = Pick<Caller, 'accountId' | 'mode' | 'tenant'>;

/** The account or tenant whose limits the requests of a caller use. */
export function limitOwnerOf({ accountId, tenant }: Pick<Owner, 'accountId' | 'tenant'>): LimitOwner {
  return { accountId, lifeId: tenant?.lifeId ?? null };
}

/** The owner of the unread response bytes of a caller. The tenants of an account share one limit. */
export function bytesOwnerOf(caller: Pick<Owner, 'accountId' | 'tenant'>): string {
  return commonLimitKey(limitOwnerOf(caller));
}

/** The kinds of resources that a tenant caller may see, each with the fields that name the owner in its documents. */
export type OwnedKind = 'webhook' | 'replay' | 'attempt' | 'event';

declare const owned: unique symbol;

interface FilterFields extends Readonly<Record<string, unknown>> {
  readonly accountId: string;
}

/** A filter that selects only resources of a caller. Only the functions of this module create one. */
export type OwnedFilter = FilterFields & { readonly [owned]: true };

/**
 * The filter for the resources of a caller. It is the only source of filters for lists, so no list can forget it:
 * - A credential of an account sees the resources of the account in its mode.
 * - A tenant caller sees the webhooks, replays and attempts of its tenant's life, and the events of that life.
 */
export function ownedFilter({ accountId, mode, tenant }: Owner, kind: OwnedKind): OwnedFilter {
  return asOwned({ accountId, mode, ...(tenant !== null && tenantFilter(tenant, kind)) });
}

function asOwned(filter: FilterFields): OwnedFilter {
  return filter as OwnedFilter;
}

/**
 * The filter for the resources of an account that no tenant caller reads, or that its tenants share.
 * @param mode missing for resources of both modes
 */
export function accountFilter({
  accountId,
  mode,
}: {
  readonly accountId: string;
  readonly mode?: Mode;
}): OwnedFilter {
  return asOwned({ accountId, ...(mode !== undefined && { mode }) });
}

function tenantFilter({ tenantId, lifeId, eventsFrom }: TenantScope, kind: OwnedKind) {
  return kind === 'event' ? { tenantId, ...inLife(eventsFrom) } : { tenancy: lifeId };
}

/** The condition of events whose position is in the life of a tenant. The index of a tenant's events contains its fields. */
function inLife(eventsFrom: readonly number[]) {
  return eventsFrom.every((offset) => offset === 0)
    ? {}
    : { $or: eventsFrom.map((offset, home) => ({ home, homeOffset: { $gte: offset } })) };
}

/** The fields of a document that name its owner. */
interface OwnedDocument {
  readonly accountId?: string;
  readonly mode?: string;
  readonly tenancy?: string | null;
}

/** Whether a caller sees a webhook, a replay or an attempt. */
export function isOwned(
  { accountId, mode, tenant }: Owner,
  document: OwnedDocument | undefined,
): document is OwnedDocument {
  return (
    document?.accountId === accountId &&
    document.mode === mode &&
    (tenant === null || document.tenancy === tenant.lifeId)
  );
}

/** The fields of an event that name its owner. */
interface OwnedEvent {
  readonly accountId?: string;
  readonly mode?: string;
  readonly tenantId?: string | null;
  readonly home: number;
  readonly homeOffset?: number | null;
}

/** Whether a caller sees an event. Events between two lives of a tenant appear to no tenant caller. */
export function isOwnedEvent({ accountId, mode, tenant }: Owner, event: OwnedEvent): boolean {
  if (event.accountId !== accountId || event.mode !== mode) {
    return false;
  }
  return (
    tenant === null ||
    (event.tenantId === tenant.tenantId && (event.homeOffset ?? -1) >= (tenant.eventsFrom[event.home] ?? 0))
  );
}

/** The deliveries of an event that a caller sees. A tenant caller sees none to the webhooks of every tenant. */
export function ownedDeliveries(
  { tenant }: Pick<Owner, 'tenant'>,
  deliveries: readonly Delivery[],
): readonly Delivery[] {
  return tenant === null ? deliveries : deliveries.filter(({ tenancy }) => tenancy === tenant.lifeId);
}

/** The tenant that a request concerns; null for resources without a tenant, undefined for all resources. */
export interface RequestedTenant {
  readonly tenantId: string | null | undefined;
}

/**
 * The tenant that a request names, or the tenant of the caller.
 * @param given the `tenantId` of the request; undefined if the request has none
 * @param param the place of `tenantId` in the request
 */
export function requestedTenant(
  { tenant }: Pick<Owner, 'tenant'>,
  given: string | null | undefined,
  param = 'tenantId',
): RequestedTenant | ApiError {
  if (tenant === null || given === tenant.tenantId) {
    return { tenantId: given };
  }
  return given === undefined
    ? { tenantId: tenant.tenantId }
    : apiError('parameter_invalid', `${param} must be ${tenant.tenantId}, or missing.`, { param });
}
