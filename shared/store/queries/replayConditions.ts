import type { Document } from 'mongodb';

import { everyTenant } from '../../domain/tenants/tenantId.js';
import { hasCodes, selectedDeliveries, type ReplayScope } from '../../domain/replays/replaySelection.js';

/** The concrete event types of a scope; null for any type. */
export interface ScopeTypes {
  readonly inScope: readonly string[] | null;
  /** The types to which the webhook subscribes. */
  readonly subscribed: readonly string[] | null;
}

/** The condition of `isSelected` as a MongoDB expression, for events that match the replay's time and types. */
export function selectedExpression(scope: ReplayScope, { subscribed }: ScopeTypes): Document {
  const { webhookId, filter, eventsBelow, tenantFrom } = scope;
  const { statuses, missing } = selectedDeliveries(filter);
  const selected = [
    ...(statuses.length === 0 ? [] : [hasDelivery([{ $in: ['$$delivery.status', [...statuses]] }], scope)]),
    ...(missing ? [{ $and: [isMissing(webhookId), ...isOneOf(subscribed)] }] : []),
  ];
  return {
    $and: [
      { $eq: [{ $ifNull: ['$onlyWebhookId', null] }, null] },
      // `$gte: 0` excludes events without an offset, because a missing value sorts before any number.
      { $gte: ['$source.offset', 0] },
      { $lt: ['$source.offset', offsetAt(eventsBelow)] },
      ...(tenantFrom === undefined ? [] : [{ $gte: ['$source.offset', offsetAt(tenantFrom)] }]),
      ...ofTenant(scope),
      { $or: selected },
    ],
  };
}

/** The offset for the partition of an event. */
function offsetAt(offsets: readonly number[]): Document {
  return { $ifNull: [{ $arrayElemAt: [[...offsets], '$source.partition'] }, 0] };
}

/** The condition of `ownsEvent`. */
function ofTenant({ tenantId }: ReplayScope): readonly Document[] {
  return tenantId === everyTenant ? [] : [{ $eq: [{ $ifNull: ['$tenantId', null] }, tenantId] }];
}

function isMissing(webhookId: string): Document {
  return { $not: [{ $in: [webhookId, '$deliveries.webhookId'] }] };
}

function isOneOf(types: readonly string[] | null): readonly Document[] {
  return types === null ? [] : [{ $in: ['$type', [...types]] }];
}

/** Whether the event has a delivery to the replay's webhook that satisfies all conditions. */
function hasDelivery(conditions: readonly Document[], { webhookId, filter }: ReplayScope): Document {
  const isIt = {
    $and: [
      { $eq: ['$$delivery.webhookId', webhookId] },
      ...conditions,
      ...(hasCodes(filter) ? codeConditions(filter) : []),
    ],
  };
  return { $anyElementTrue: [{ $map: { input: '$deliveries', as: 'delivery', in: isIt } }] };
}

function codeConditions({ statusCodes, errorCodes }: ReplayScope['filter']): readonly Document[] {
  return [
    { $ne: [{ $type: '$$delivery.last' }, 'missing'] },
    ...(statusCodes === undefined ? [] : [{ $in: ['$$delivery.last.statusCode', [...statusCodes]] }]),
    ...(errorCodes === undefined
      ? []
      : [
          {
            $or: [
              { $in: ['$$delivery.last.errorCode', [...errorCodes]] },
              { $in: ['$$delivery.error.code', [...errorCodes]] },
            ],
          },
        ]),
  ];
}
