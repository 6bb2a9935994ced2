import { deliveryStatuses, type DeliveryStatus } from '../../../shared/domain/deliveries/delivery.js';
import { eventIndexes } from '../../../shared/store/models/indexes.js';
import { maximumMergedTypes } from '../../../shared/store/queries/eventTypes.js';
import type { OrderedRange } from '../../../shared/store/models/readModels.js';
import type { Caller } from '../../http/context.js';
import { createdWithin, type CreatedBounds } from '../../http/filters.js';
import type { Selection } from '../../http/paging.js';

export interface EventFilter extends CreatedBounds {
  /** Types, without patterns. */
  readonly type?: readonly string[] | undefined;
  readonly webhookId?: string | undefined;
  /** The status of a delivery. If `webhookId` is set, only the delivery to that webhook counts. */
  readonly deliveryStatus?: DeliveryStatus | undefined;
}

type Condition = OrderedRange['filter'];

/**
 * The events of an account and mode that match a filter. The document of an event whose own record is not folded yet
 * has no account.
 */
export function eventSelection(
  { accountId, mode }: Pick<Caller, 'accountId' | 'mode'>,
  given: EventFilter,
): Selection {
  const filter = { accountId, mode, ...ofTypes(given), ...createdWithin(given), ...withDelivery(given) };
  return { filter, index: indexFor(given).key };
}

/**
 * The index for a filter. Each single filter has an index, and so has a webhook with a status. For other combinations
 * MongoDB uses the most selective index, and checks the other conditions per document. Most deliveries are `delivered`,
 * so a type is more selective than this status.
 */
function indexFor({ type, webhookId, deliveryStatus }: EventFilter) {
  if (webhookId !== undefined) {
    return eventIndexes.byWebhook;
  }
  const isRare = deliveryStatus !== undefined && deliveryStatus !== 'delivered';
  if (type !== undefined && type.length <= maximumMergedTypes && !isRare) {
    return eventIndexes.byType;
  }
  return deliveryStatus === undefined ? eventIndexes.all : eventIndexes.byStatus;
}

function ofTypes({ type }: EventFilter): Condition {
  return type === undefined ? {} : { type: { $in: type } };
}

/**
 * The condition on a delivery. The index orders the events of a webhook by status first. A condition on all statuses
 * lets MongoDB merge the events in list order.
 */
function withDelivery({ webhookId, deliveryStatus }: EventFilter): Condition {
  if (webhookId === undefined) {
    return deliveryStatus === undefined ? {} : { 'deliveries.status': deliveryStatus };
  }
  const status = deliveryStatus ?? { $in: deliveryStatuses };
  // MongoDB uses the partial index only with the condition on `deliveries.status`.
  return {
    deliveries: { $elemMatch: { webhookId, status } },
    'deliveries.status': { $exists: true },
  };
}
