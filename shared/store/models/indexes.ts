import type { IndexDescription } from 'mongodb';

import type { DeliveryStatus } from '../../domain/deliveries/delivery.js';

export type IndexKey = Readonly<Record<string, 1 | -1>>;

export interface ListIndex extends IndexDescription {
  readonly key: Record<string, 1 | -1>;
}

const ofOwner = { accountId: 1, mode: 1 } as const;
const newestFirst = { created: -1, _id: -1 } as const;

/** Most events are written twice, first without deliveries: only then do they get into these indexes. */
const withDeliveries = { 'deliveries.status': { $exists: true } };

/** The condition of the index of open deliveries: a query names it, or the index does not serve the query. */
export const withOpenDeliveries = {
  'deliveries.status': { $in: ['pending', 'retrying'] satisfies readonly DeliveryStatus[] },
};

/**
 * What lists of events are read from, each in the order of its list. Every index costs the database 5 to 15 µs of
 * processor time for each event, so there is none for two filters that another one serves well enough.
 */
export const eventIndexes = {
  /** All events, and those of a time. */
  all: { key: { ...ofOwner, ...newestFirst } },
  /** `type`: several are merged. */
  byType: { key: { ...ofOwner, type: 1, ...newestFirst } },
  /** `deliveryStatus`. */
  byStatus: {
    key: { ...ofOwner, 'deliveries.status': 1, ...newestFirst },
    partialFilterExpression: withDeliveries,
  },
  /** `webhookId`, with `deliveryStatus` or with all of them merged. */
  byWebhook: {
    key: { ...ofOwner, 'deliveries.webhookId': 1, 'deliveries.status': 1, ...newestFirst },
    partialFilterExpression: withDeliveries,
  },
  /** The open deliveries of a webhook, and which webhooks have any. Only events with an open delivery are in it. */
  open: {
    key: { 'deliveries.status': 1, 'deliveries.webhookId': 1, _id: 1 },
    partialFilterExpression: withOpenDeliveries,
  },
  /** How many deliveries of a replay have come to what. Only events that were replayed are in it. */
  byReplay: {
    key: { replayed: 1 },
    partialFilterExpression: { replayed: { $exists: true } },
  },
} as const satisfies Record<string, ListIndex>;

/** The webhooks of each status: what is left of deleted ones is not passed on the way. */
export const webhookIndexes = {
  list: { key: { ...ofOwner, status: 1, ...newestFirst } },
  /** Those that changed since an offset of a partition. */
  byPosition: { key: { 'positions.$**': 1 } },
  /** Those with a secret that is sealed with another key, which every start looks for. */
  bySecretKey: { key: { 'secrets.secret.key': 1 } },
} as const satisfies Record<string, ListIndex>;

export const accountIndexes = {
  /** API keys, looked up for each request. */
  byApiKey: { key: { 'apiKeys.hash': 1 } },
  /** Users, looked up when they sign in. */
  byEmail: { key: { 'users.email': 1 } },
  byLink: { key: { 'users.link.hash': 1 } },
  /** Deleted accounts whose documents changed since an offset of a partition. No other account is in it. */
  deletedByPosition: { key: { 'positions.$**': 1 }, partialFilterExpression: { isDeleted: true } },
} as const satisfies Record<string, ListIndex>;

/** No owner comes first: an event or a webhook has one, and an index is the smaller for it. */
export const attemptIndexes = {
  /** Of one webhook, or of all: there are few for an event. */
  byEvent: { key: { eventId: 1, ...newestFirst } },
  /** Those of both statuses are merged. */
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
  /** What a person or a key was called last. Only entries that tell it are in it. */
  byName: {
    key: { accountId: 1, 'resource.id': 1, ...newestFirst },
    partialFilterExpression: { 'changes.name': { $exists: true } },
  },
} as const satisfies Record<string, ListIndex>;

export const accountKeyIndexes = {
  /** Those that are sealed with another key, which every start looks for. */
  bySealingKey: { key: { 'key.key': 1 } },
  /** Accounts with sealed records and without a key, which every readiness check looks for: as a rule there are none. */
  byMissingKey: { key: { lacksKey: 1 }, sparse: true },
} as const satisfies Record<string, ListIndex>;
