import { deliveryStatuses, type DeliveryStatus } from '../../../shared/domain/deliveries/delivery.js';
import type { DeliveryErrorCode } from '../../../shared/domain/deliveries/deliveryFacts.js';
import { eventIndexes, notValid } from '../../../shared/store/models/indexes.js';
import type { OrderedRange } from '../../../shared/store/models/readQueries.js';
import { maximumMergedTypes } from '../../../shared/store/queries/eventTypes.js';
import { createdWithin, type CreatedBounds } from '../../http/filters.js';
import { ownedFilter, type Owner } from '../../http/ownership.js';
import type { SlicedSelection } from '../../scans/eventSlices.js';

/** The filters on deliveries. One and the same delivery must pass all of them. */
export interface DeliveryFilter {
  readonly webhookId?: string | undefined;
  /** The statuses of the delivery, without duplicates. */
  readonly deliveryStatus?: readonly DeliveryStatus[] | undefined;
  /** The status code of the delivery's last attempt. */
  readonly statusCode?: number | undefined;
  /** The error of the delivery's last attempt, or of the delivery itself. */
  readonly errorCode?: DeliveryErrorCode | undefined;
  /** The tenancy of the delivery's webhook: a tenant caller sees no other delivery. */
  readonly tenancy?: string | undefined;
}

export interface EventFilter extends CreatedBounds, DeliveryFilter {
  /** Types, without patterns. */
  readonly type?: readonly string[] | undefined;
  /** The result of the check with the schema of the type. */
  readonly validation?: 'invalid' | 'unknown' | undefined;
  /** The tenant of the events; null for events without a tenant. */
  readonly tenantId?: string | null | undefined;
}

type Condition = OrderedRange['filter'];

/** The events of a list, with the part of the filter that an index contains. */
export interface EventSelection extends SlicedSelection {
  /** Whether MongoDB checks other conditions for each document, so that a page may take long. */
  readonly hasUnindexed: boolean;
}

/**
 * The events of a caller that match a filter. The document of an event whose own record is not folded yet has no account.
 */
export function eventSelection(owner: Owner, filter: Omit<EventFilter, 'tenancy'>): EventSelection {
  const { tenant } = owner;
  const given = tenant === null ? filter : { ...filter, tenantId: tenant.tenantId, tenancy: tenant.lifeId };
  const { index, conditions } = indexFor(given);
  const indexed = { ...ownedFilter(owner, 'event'), ...createdWithin(given), ...conditions };
  const others = unindexed(given, index);
  const hasUnindexed = others.length > 0;
  return {
    filter: hasUnindexed ? { ...indexed, $and: others } : indexed,
    index: index.key,
    indexed,
    hasUnindexed,
  };
}

type EventIndex = (typeof eventIndexes)[keyof typeof eventIndexes];

interface IndexedFilter {
  readonly index: EventIndex;
  readonly conditions: Condition;
}

/**
 * The index for a filter, and the conditions that the index checks. Each single filter has an index, and so has a
 * webhook with a status. For other combinations MongoDB uses the most selective index, and checks the other conditions
 * per document. Most deliveries are `delivered`, so a type is more selective than this status.
 */
function indexFor(given: EventFilter): IndexedFilter {
  const { webhookId, validation, tenantId = null } = given;
  if (validation !== undefined) {
    // Few events are not valid, so this index is the most selective one.
    return {
      index: eventIndexes.byValidation,
      conditions: { 'validation.status': ofValidation(validation) },
    };
  }
  if (webhookId !== undefined) {
    // A condition on all statuses lets MongoDB merge the ranges of all statuses in the order of the list. MongoDB uses
    // the partial index only with the condition on `deliveries.status`.
    const conditions = {
      deliveries: { $elemMatch: { webhookId, status: anyOf(possibleStatuses(given)) } },
      'deliveries.status': { $exists: true },
    };
    return { index: eventIndexes.byWebhook, conditions };
  }
  return tenantId === null ? indexOfAccount(given) : indexOfTenant(given, tenantId);
}

/** The index of all events of an account. */
function indexOfAccount(given: EventFilter): IndexedFilter {
  const { type } = given;
  const statuses = possibleStatuses(given);
  if (type !== undefined && type.length <= maximumMergedTypes && statuses.includes('delivered')) {
    return { index: eventIndexes.byType, conditions: ofTypes(type) };
  }
  return hasDeliveryFilter(given)
    ? { index: eventIndexes.byStatus, conditions: { 'deliveries.status': anyOf(statuses) } }
    : { index: eventIndexes.all, conditions: {} };
}

/** The index of the events of a tenant. */
function indexOfTenant(given: EventFilter, tenantId: string): IndexedFilter {
  const ofStatus = { 'deliveries.status': anyOf(possibleStatuses(given)) };
  return hasDeliveryFilter(given)
    ? { index: eventIndexes.byTenantAndStatus, conditions: { tenantId, ...ofStatus } }
    : { index: eventIndexes.byTenant, conditions: { tenantId } };
}

/** The indexes that check the tenant. */
const tenantIndexes: readonly EventIndex[] = [eventIndexes.byTenant, eventIndexes.byTenantAndStatus];
/** The indexes that check nothing about deliveries. */
const withoutDeliveries: readonly EventIndex[] = [eventIndexes.byType, eventIndexes.byValidation];

/** The conditions that the index does not check. */
function unindexed(given: EventFilter, index: EventIndex): readonly Condition[] {
  const { type, tenantId } = given;
  return [
    ...(type !== undefined && index !== eventIndexes.byType ? [ofTypes(type)] : []),
    ...(tenantId !== undefined && !tenantIndexes.includes(index) ? [{ tenantId }] : []),
    ...(hasUnindexedDelivery(given, index) ? [{ deliveries: { $elemMatch: ofDelivery(given) } }] : []),
  ];
}

/** No index contains the last attempt or the tenancy of a delivery. */
function hasUnindexedDelivery(given: DeliveryFilter, index: EventIndex): boolean {
  const isChecked = given.tenancy === undefined && !withoutDeliveries.includes(index);
  return hasLastAttempt(given) || (hasDeliveryFilter(given) && !isChecked);
}

/** All conditions on one delivery. */
function ofDelivery(given: DeliveryFilter): Condition {
  const { webhookId, tenancy } = given;
  return {
    ...(webhookId !== undefined && { webhookId }),
    ...(tenancy !== undefined && { tenancy }),
    status: anyOf(possibleStatuses(given)),
    ...(hasLastAttempt(given) && ofLastAttempt(given)),
  };
}

/** A condition that contains the condition of the partial index. */
function ofValidation(validation: 'invalid' | 'unknown'): Condition {
  return { ...notValid['validation.status'], $eq: validation };
}

function ofTypes(types: readonly string[]): Condition {
  return { type: { $in: types } };
}

function hasDeliveryFilter(given: DeliveryFilter): boolean {
  return given.webhookId !== undefined || given.deliveryStatus !== undefined || hasLastAttempt(given);
}

function hasLastAttempt({ statusCode, errorCode }: DeliveryFilter): boolean {
  return statusCode !== undefined || errorCode !== undefined;
}

/**
 * The statuses of deliveries that may pass the filter. An attempt with a 2xx status code and without an error makes a
 * delivery `delivered`. So the events with a given failure are among the few events with another status. An index of
 * status codes and errors would cost time for each attempt.
 */
function possibleStatuses({
  deliveryStatus = deliveryStatuses,
  statusCode = 200,
  errorCode,
}: DeliveryFilter): readonly DeliveryStatus[] {
  const isFailure = errorCode !== undefined || statusCode < 200 || statusCode > 299;
  return deliveryStatus.filter((status) => !isFailure || status !== 'delivered');
}

/** The condition for any of some statuses. Without a status, no text matches, because MongoDB sorts for an empty list. */
function anyOf(statuses: readonly DeliveryStatus[]): Condition {
  return { $in: statuses.length === 0 ? [''] : statuses };
}

/** The conditions on the last attempt of a delivery. Documents of earlier versions have only the fields of the delivery. */
function ofLastAttempt({ statusCode, errorCode }: DeliveryFilter): Condition {
  const ofCode = { $or: [{ 'last.statusCode': statusCode }, { last: { $exists: false }, statusCode }] };
  const ofError = { $or: [{ 'last.errorCode': errorCode }, { 'error.code': errorCode }] };
  return {
    $and: [...(statusCode === undefined ? [] : [ofCode]), ...(errorCode === undefined ? [] : [ofError])],
  };
}
