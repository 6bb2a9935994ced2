import type { IndexDescription } from 'mongodb';

import type { DeliveryStatus } from '../../domain/deliveries/delivery.js';

export type IndexKey = Readonly<Record<string, 1 | -1>>;

export interface ListIndex extends IndexDescription {
  readonly key: Record<string, 1 | -1>;
}

const ofOwner = { accountId: 1, mode: 1 } as const;
const newestFirst = { created: -1, _id: -1 } as const;

/**
 * The condition of partial indexes on deliveries. Most events are written twice, first without deliveries. Only the
 * second write adds an event to a partial index on deliveries.
 */
const withDeliveries = { 'deliveries.status': { $exists: true } };

/** The condition of the partial index on open deliveries. A query must contain the condition to use the index. */
export const withOpenDeliveries = {
  'deliveries.status': { $in: ['pending', 'retrying'] satisfies readonly DeliveryStatus[] },
};

/**
 * The indexes for lists of events, each in the order of the list. Each index costs MongoDB 5 to 15 µs of CPU time for
 * each event. So a filter has no own index if another index is fast enough.
 */
export const eventIndexes = {
  /** The index for lists of all events, and of the events in a span of time. */
  all: { key: { ...ofOwner, ...newestFirst } },
  /** The index for the filter `type`. With several types, their ranges are merged. */
  byType: { key: { ...ofOwner, type: 1, ...newestFirst } },
  /** The index for the filter `deliveryStatus`. */
  byStatus: {
    key: { ...ofOwner, 'deliveries.status': 1, ...newestFirst },
    partialFilterExpression: withDeliveries,
  },
  /** The index for the filter `webhookId`. Without a filter `deliveryStatus`, the ranges of all statuses are merged. */
  byWebhook: {
    key: { ...ofOwner, 'deliveries.webhookId': 1, 'deliveries.status': 1, ...newestFirst },
    partialFilterExpression: withDeliveries,
  },
  /**
   * The index for the open deliveries of a webhook, and for the webhooks with open deliveries. The index contains only
   * events with an open delivery.
   */
  open: {
    key: { 'deliveries.status': 1, 'deliveries.webhookId': 1, _id: 1 },
    partialFilterExpression: withOpenDeliveries,
  },
  /**
   * The index for the number of a replay's deliveries with each outcome. The index contains only events that were
   * replayed.
   */
  byReplay: {
    key: { replayed: 1 },
    partialFilterExpression: { replayed: { $exists: true } },
  },
} as const satisfies Record<string, ListIndex>;

/** The indexes for webhooks. The field `status` lets a list skip the documents of deleted webhooks. */
export const webhookIndexes = {
  list: { key: { ...ofOwner, status: 1, ...newestFirst } },
  /** The index for the webhooks that changed since an offset of a partition. */
  byPosition: { key: { 'positions.$**': 1 } },
  /**
   * The index for webhooks whose signing secret a missing encryption key has sealed. Every process looks for webhooks
   * with a missing encryption key when it starts.
   */
  bySecretKey: { key: { 'secrets.secret.key': 1 } },
} as const satisfies Record<string, ListIndex>;

export const accountIndexes = {
  /** The index for the API key of each request. */
  byApiKey: { key: { 'apiKeys.hash': 1 } },
  /** The index for the user of a sign-in. */
  byEmail: { key: { 'users.email': 1 } },
  byLink: { key: { 'users.link.hash': 1 } },
  /**
   * The index for deleted accounts whose documents changed since an offset of a partition. The index contains only
   * deleted accounts.
   */
  deletedByPosition: { key: { 'positions.$**': 1 }, partialFilterExpression: { isDeleted: true } },
} as const satisfies Record<string, ListIndex>;

/**
 * The indexes by event and by webhook lack the owner, because an event or a webhook has one owner. So these indexes are
 * smaller.
 */
export const attemptIndexes = {
  /** The index for the attempts of an event, to one webhook or to all webhooks. An event has few attempts. */
  byEvent: { key: { eventId: 1, ...newestFirst } },
  /** All attempts of an account. The ranges of both statuses are merged. */
  all: { key: { ...ofOwner, status: 1, ...newestFirst } },
  /** The index for the attempts of a webhook. Without a filter by status, the ranges of both statuses are merged. */
  byWebhook: { key: { webhookId: 1, status: 1, ...newestFirst } },
} as const satisfies Record<string, ListIndex>;

export const replayIndexes = {
  list: { key: { ...ofOwner, ...newestFirst } },
  byStatus: { key: { ...ofOwner, status: 1 } },
} as const satisfies Record<string, ListIndex>;

export const auditIndexes = {
  /** The index for all audit entries of an account. */
  all: { key: { accountId: 1, ...newestFirst } },
  byMode: { key: { ...ofOwner, ...newestFirst } },
  /** The index for the last name of a user or an API key. The index contains only audit entries with a name. */
  byName: {
    key: { accountId: 1, 'resource.id': 1, ...newestFirst },
    partialFilterExpression: { 'changes.name': { $exists: true } },
  },
} as const satisfies Record<string, ListIndex>;

export const accountKeyIndexes = {
  /**
   * The index for data keys that a missing encryption key has sealed. Every process looks for data keys with a missing
   * encryption key when it starts.
   */
  bySealingKey: { key: { 'key.key': 1 } },
  /**
   * The index for accounts with sealed records but without a data key. Every readiness check looks for accounts without
   * a data key, which usually do not exist.
   */
  byMissingKey: { key: { lacksKey: 1 }, sparse: true },
} as const satisfies Record<string, ListIndex>;
