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

/** The condition of the partial index on events that are not valid. A query must contain the condition. */
export const notValid = { 'validation.status': { $in: ['invalid', 'unknown'] } };

/** The condition of documents with a text that is not empty. A query for a text contains this condition. */
const isText = { $gt: '' };

/** The condition of entries of open deliveries. A query must contain the condition to use their index. */
export const openEntry = { 'entry.open': { $exists: true } };

/** An index that contains only documents with a text in a field. */
function textIndex<Key extends Record<string, 1 | -1>>(key: Key, field: string) {
  return { key, partialFilterExpression: { [field]: isText } };
}

/** An index that contains only documents with a field. */
function partialIndex<Key extends Record<string, 1 | -1>>(key: Key, field: string) {
  return { key, partialFilterExpression: { [field]: { $exists: true } } };
}

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
  /** The index for the filter `validation`. The index contains only events that are not valid. */
  byValidation: {
    key: { ...ofOwner, 'validation.status': 1, ...newestFirst },
    partialFilterExpression: notValid,
  },
  /**
   * The index for the events of a tenant. It contains only events with a tenant. Conditions on the last three fields need
   * no document.
   */
  byTenant: textIndex(
    { ...ofOwner, tenantId: 1, ...newestFirst, type: 1, home: 1, homeOffset: 1 },
    'tenantId',
  ),
  /** The index for the events of a tenant with a delivery in a status. */
  byTenantAndStatus: {
    key: { ...ofOwner, tenantId: 1, 'deliveries.status': 1, ...newestFirst },
    partialFilterExpression: { tenantId: isText, ...withDeliveries },
  },
  /** The index for the open deliveries of a tenant's events, in the order of the events in the log. */
  tenantEntries: {
    key: { 'entry.accountId': 1, 'entry.mode': 1, 'entry.ofTenant': 1, 'entry.home': 1, 'entry.offset': 1 },
    partialFilterExpression: { 'entry.ofTenant': isText, ...openEntry },
  },
  /** The index for the counters of the webhooks of a tenancy. */
  tenantCounters: textIndex({ 'counters.ofTenancy': 1 }, 'counters.ofTenancy'),
  /** The index for the counters of webhooks. */
  counters: partialIndex({ 'counters.webhookId': 1 }, 'counters.webhookId'),
  /** The index for the oldest event with an open delivery to a webhook. */
  openEntries: partialIndex({ 'entry.open': 1, 'entry.created': 1 }, 'entry.open'),
  /** The index for the next attempt to a webhook. */
  scheduledEntries: partialIndex(
    { 'entry.scheduled': 1, 'entry.delivery.nextAttemptAt': 1 },
    'entry.scheduled',
  ),
  /** The index for the first and the last attempt with each error of a webhook. */
  failures: partialIndex({ 'entry.failure': 1, 'entry.delivery.last.at': 1 }, 'entry.failure'),
  /** The index for the backlog of a webhook in a partition, in the order of the events in the log. */
  backlogs: partialIndex(
    { 'entry.backlog': 1, 'entry.home': 1, 'entry.lane': 1, 'entry.offset': 1 },
    'entry.backlog',
  ),
  /** The index for the open deliveries of a webhook that are not parked: their field `backlog` is missing. */
  unparked: partialIndex({ 'entry.open': 1, 'entry.backlog': 1, 'entry.eventId': 1 }, 'entry.open'),
  /** The index for webhooks with a backlog. The index contains only counters of such webhooks. */
  parkedCounters: {
    key: { 'counters.parked': 1 },
    partialFilterExpression: { 'counters.parked': { $gt: 0 } },
  },
} as const satisfies Record<string, ListIndex>;

/** The condition of the index for lists of webhooks. Only existing webhooks have a time of creation. */
export const existing = { created: { $exists: true } };

/** The indexes for webhooks. The field `status` lets a list skip the documents of deleted webhooks. */
export const webhookIndexes = {
  /**
   * The index for lists of all webhooks. A query without the condition cannot use it. So MongoDB's query planner never
   * prefers it for the webhooks of a tenant, for which it would read all webhooks of the account.
   */
  list: { key: { ...ofOwner, status: 1, ...newestFirst }, partialFilterExpression: existing },
  /** The index for the webhooks of a tenant, of every tenant, or without a tenant: for events, lists and limits. */
  byTenant: { key: { ...ofOwner, tenantId: 1, status: 1, ...newestFirst } },
  /** The index for the webhooks of a tenancy. */
  byTenancy: textIndex({ tenancy: 1, status: 1, _id: 1 }, 'tenancy'),
  /** The index for the webhooks that changed since an offset of a partition. */
  byPosition: { key: { 'positions.$**': 1 } },
  /**
   * The index for webhooks whose signing secret a missing encryption key has sealed. Every process looks for webhooks
   * with a missing encryption key when it starts.
   */
  bySecretKey: { key: { 'secrets.secret.key': 1 } },
  /** The same for credentials. The index contains only webhooks with credentials. */
  byCredentialKey: partialIndex({ 'credentials.value.key': 1 }, 'credentials'),
} as const satisfies Record<string, ListIndex>;

export const accountIndexes = {
  /** The index for the API key of each request. */
  byApiKey: { key: { 'apiKeys.hash': 1 } },
  /** The index for the user of a sign-in. */
  byEmail: { key: { 'users.email': 1 } },
  byLink: { key: { 'users.link.hash': 1 } },
  /** The index for the origins that may embed a customer portal. */
  byPortalOrigin: partialIndex({ 'portal.origins': 1 }, 'portal.origins'),
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
  /** The index for the attempts to a version of a webhook, in the order of their records. */
  byRecord: { key: { versionKey: 1, status: 1, recorded: -1, _id: -1 } },
  /** The index for the attempts of a tenant's webhooks. It contains no attempt of a webhook without a tenant. */
  byTenancy: textIndex({ tenancy: 1, status: 1, ...newestFirst }, 'tenancy'),
  /** The index for the attempts of a tenant's events to webhooks of every tenant. It contains no other attempts. */
  byEventTenant: textIndex({ ...ofOwner, ofTenant: 1, home: 1, homeOffset: 1 }, 'ofTenant'),
} as const satisfies Record<string, ListIndex>;

export const replayIndexes = {
  list: { key: { ...ofOwner, ...newestFirst } },
  /** The index for the replays of a webhook. */
  byWebhook: { key: { ...ofOwner, webhookId: 1, ...newestFirst } },
  /** The index for the number of running replays of a tenant's webhooks, and of webhooks without a tenant. */
  byStatus: { key: { ...ofOwner, tenancy: 1, status: 1 } },
  /** The index for the replays of a tenant's webhooks. */
  byTenancy: textIndex({ tenancy: 1, status: 1, ...newestFirst }, 'tenancy'),
} as const satisfies Record<string, ListIndex>;

export const tenantIndexes = {
  /** The index for lists and searches of tenants. */
  list: partialIndex({ ...ofOwner, status: 1, ...newestFirst }, 'status'),
  /** The index for the tenants with an ended life that is not erased. It contains no other tenants. */
  erasing: { key: { erasing: 1, _id: 1 }, partialFilterExpression: { erasing: true } },
  /** The index for the tenants of an account with an erased life. It contains no other tenants. */
  erased: { key: { accountId: 1, _id: 1 }, partialFilterExpression: { hasErased: true } },
  /** The index for the tenants with an ended life that changed since an offset of a partition. */
  endedByPosition: { key: { 'positions.$**': 1 }, partialFilterExpression: { hasEnded: true } },
  /** The index for lists of the API keys of tenants. A list of both modes merges their ranges. */
  apiKeys: partialIndex({ ...ofOwner, keyStatus: 1, ...newestFirst }, 'keyStatus'),
  /** The index for the API keys of a life: for the list of a tenant, the limit, and the deletion of the tenant. */
  apiKeysOfLife: partialIndex({ lifeId: 1, keyStatus: 1, ...newestFirst }, 'keyStatus'),
  /** The index for the API key of each request. */
  byHash: textIndex({ hash: 1 }, 'hash'),
} as const satisfies Record<string, ListIndex>;

export const eventTypeIndexes = {
  /** The index for lists of event types, for the limits of an account, and for the catalog document. */
  list: { key: { ...ofOwner, status: 1, ...newestFirst } },
  /** The index for the event types that the API checks. An API process reads them when it starts. */
  checked: { key: { checked: 1, _id: 1 }, partialFilterExpression: { checked: true } },
  /** The index for the event types that changed since an offset of a partition. */
  byPosition: { key: { partition: 1, offset: 1 } },
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
