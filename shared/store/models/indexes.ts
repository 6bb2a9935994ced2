import type { IndexDescription } from 'mongodb';

import type { DeliveryStatus } from '../../domain/deliveries/delivery.js';

export type IndexKey = Readonly<Record<string, 1 | -1>>;

export interface ListIndex extends IndexDescription {
  readonly key: Record<string, 1 | -1>;
}

const ofOwner = { accountId: 1, mode: 1 } as const;
const newestFirst = { created: -1, _id: -1 } as const;

/** Most events are written twice, first without deliveries. Only the second write adds them to these indexes. */
const withDeliveries = { 'deliveries.status': { $exists: true } };

/** The condition of the index of open deliveries. A query must contain it to use the index. */
export const withOpenDeliveries = {
  'deliveries.status': { $in: ['pending', 'retrying'] satisfies readonly DeliveryStatus[] },
};

/**
 * The indexes of the lists of events, each in the order of its list. Every index costs the database 5 to 15 µs of CPU
 * time for each event. So a filter has no own index if another index serves it well enough.
 */
export const eventIndexes = {
  /** All events, and those of a time. */
  all: { key: { ...ofOwner, ...newestFirst } },
  /** `type`: the ranges of several types are merged. */
  byType: { key: { ...ofOwner, type: 1, ...newestFirst } },
  /** `deliveryStatus`. */
  byStatus: {
    key: { ...ofOwner, 'deliveries.status': 1, ...newestFirst },
    partialFilterExpression: withDeliveries,
  },
  /** `webhookId`, with `deliveryStatus` or with all statuses merged. */
  byWebhook: {
    key: { ...ofOwner, 'deliveries.webhookId': 1, 'deliveries.status': 1, ...newestFirst },
    partialFilterExpression: withDeliveries,
  },
  /**
   * The open deliveries of a webhook, and the webhooks that have any. It contains only events with an open delivery.
   */
  open: {
    key: { 'deliveries.status': 1, 'deliveries.webhookId': 1, _id: 1 },
    partialFilterExpression: withOpenDeliveries,
  },
  /** The number of deliveries of a replay with each outcome. It contains only events that were replayed. */
  byReplay: {
    key: { replayed: 1 },
    partialFilterExpression: { replayed: { $exists: true } },
  },
} as const satisfies Record<string, ListIndex>;

/** The webhooks of each status. A scan does not pass the documents of deleted ones. */
export const webhookIndexes = {
  list: { key: { ...ofOwner, status: 1, ...newestFirst } },
  /** The webhooks that changed since an offset of a partition. */
  byPosition: { key: { 'positions.$**': 1 } },
  /** The webhooks whose secret another key has sealed, which every start looks for. */
  bySecretKey: { key: { 'secrets.secret.key': 1 } },
} as const satisfies Record<string, ListIndex>;

export const accountIndexes = {
  /** API keys, looked up for each request. */
  byApiKey: { key: { 'apiKeys.hash': 1 } },
  /** Users, looked up when they sign in. */
  byEmail: { key: { 'users.email': 1 } },
  byLink: { key: { 'users.link.hash': 1 } },
  /** Deleted accounts whose documents changed since an offset of a partition. It contains no other account. */
  deletedByPosition: { key: { 'positions.$**': 1 }, partialFilterExpression: { isDeleted: true } },
} as const satisfies Record<string, ListIndex>;

/** The owner is not a field: an event or a webhook has one owner, and the index is smaller without it. */
export const attemptIndexes = {
  /** The attempts of an event to one webhook or to all. An event has few. */
  byEvent: { key: { eventId: 1, ...newestFirst } },
  /** The ranges of both statuses are merged. */
  byWebhook: { key: { webhookId: 1, status: 1, ...newestFirst } },
} as const satisfies Record<string, ListIndex>;

export const replayIndexes = {
  list: { key: { ...ofOwner, ...newestFirst } },
  byStatus: { key: { ...ofOwner, status: 1 } },
} as const satisfies Record<string, ListIndex>;

export const auditIndexes = {
  /** All entries of an account. */
  all: { key: { accountId: 1, ...newestFirst } },
  byMode: { key: { ...ofOwner, ...newestFirst } },
  /** The last name of a user or a key. It contains only entries with a name. */
  byName: {
    key: { accountId: 1, 'resource.id': 1, ...newestFirst },
    partialFilterExpression: { 'changes.name': { $exists: true } },
  },
} as const satisfies Record<string, ListIndex>;

export const accountKeyIndexes = {
  /** The data keys that another key has sealed, which every start looks for. */
  bySealingKey: { key: { 'key.key': 1 } },
  /** Accounts with sealed records and without a key, which every readiness check looks for. Usually there are none. */
  byMissingKey: { key: { lacksKey: 1 }, sparse: true },
} as const satisfies Record<string, ListIndex>;
