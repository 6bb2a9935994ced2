import type { Binary } from 'mongodb';

import type { Account, DeletedAccount } from '../../domain/accounts/account.js';
import type { AuditEntry } from '../../domain/accounts/audit.js';
import type { DeletedTenantApiKey, TenantApiKey } from '../../domain/accounts/tenantApiKey.js';
import type { Mode } from '../../domain/core/fact.js';
import type { Delivery, DeliveryStatus } from '../../domain/deliveries/delivery.js';
import type { AttemptTrigger, DeliveryError } from '../../domain/deliveries/deliveryFacts.js';
import type { DeletedEventType, EventType } from '../../domain/eventTypes/eventType.js';
import type { EventValidation, PostedAttributes } from '../../domain/events/event.js';
import type { Replay } from '../../domain/replays/replay.js';
import type { DeletedTenant, EventOfTenant, LifeMarks, Tenant } from '../../domain/tenants/tenant.js';
import type { SealedSecret } from '../../domain/webhooks/signingSecrets.js';
import type { DeletedWebhook, Webhook } from '../../domain/webhooks/webhook.js';
import type { MetaDocument } from './generations.js';

/** The highest offset that was folded into a document, by `topic/partition`. Records up to it change nothing again. */
export type FoldedPositions = Readonly<Record<string, number>>;

/** The fields that every document of a read model has. */
export interface ModelDocument {
  readonly _id: string;
  readonly positions: FoldedPositions;
}

/**
 * The fields that a read of documents omits. The same query reads the meta document, which needs all its fields, and the
 * check of the account needs `accountId`.
 */
export interface Without<Model extends ModelDocument> {
  readonly without?: readonly Exclude<
    keyof Model & string,
    keyof ModelDocument | keyof MetaDocument | 'accountId'
  >[];
}

/** The document of a resource. The ids of its last records identify a duplicate that follows other records. */
interface ResourceDocument extends ModelDocument {
  readonly recordIds: readonly string[];
}

/**
 * An event and a summary of its deliveries. The fields of the event's own record are missing until the fold has read
 * it.
 */
export interface EventDocument extends ModelDocument {
  readonly accountId?: string;
  readonly mode?: Mode;
  readonly type?: string;
  readonly created?: Date;
  /** The JSON text of the event's `data`, byte for byte. */
  readonly data?: Binary;
  readonly onlyWebhookId?: string | null;
  /** The tenant of the event, and the event's offset in its home partition. Both are missing without a tenant. */
  readonly tenantId?: string;
  readonly homeOffset?: number;
  /** The attributes of an event that was posted as a CloudEvent; missing for other events. */
  readonly attributes?: PostedAttributes;
  /** The result of the check with the schema of the event's type; missing for an event that was not checked. */
  readonly validation?: EventValidation;
  /** The position of the event's record in the topic `events`. */
  readonly source?: {
    readonly partition: number;
    readonly offset: number;
    /** When the event's record was appended, in milliseconds since 1970. */
    readonly appended: number;
  };
  /**
   * The event's home partition: the partition of `events` that contains the event, which is also the partition number of
   * all records about the event. Before the fold has read the event's own record, the home partition is the partition of
   * the delivery record that was folded first.
   */
  readonly home: number;
  readonly deliveries: readonly Delivery[];
  /** Present once a record has named all webhooks that match the event. */
  readonly matched?: true;
  /** The replays of the event's deliveries, each id alone and with its outcome (`rpl_…/done`); missing without one. */
  readonly replayed?: readonly string[];
}

/** The parts of a webhook's backlog in one partition, in the order of their release. */
export const backlogLanes = ['-', 'replay'] as const;

export type BacklogLane = (typeof backlogLanes)[number];

/** A delivery that is pending, retrying, failed or canceled, with the fields of its event. */
export interface DeliveryEntry {
  readonly accountId: string;
  readonly mode: Mode;
  readonly eventId: string;
  readonly webhookId: string;
  /** The partition of `events` that contains the event. */
  readonly home: number;
  /** The offset of the event. */
  readonly offset: number;
  /** When the event was created. */
  readonly created: Date;
  readonly onlyWebhookId: string | null;
  /** The tenant of the event; missing without one. The name keeps entries out of the index for events by tenant. */
  readonly ofTenant?: string;
  /** The webhook's id if the delivery is pending or retrying; missing otherwise. */
  readonly open?: string;
  /** The webhook's id if an attempt has a planned time; missing otherwise. */
  readonly scheduled?: string;
  /** `<webhook id>/<error code>/<status code>` if the delivery is retrying or failed; missing otherwise. */
  readonly failure?: string;
  /** The webhook's id if the delivery is parked; missing otherwise. */
  readonly backlog?: string;
  /** The part of the backlog: parked deliveries of replays are released after all others. Missing if not parked. */
  readonly lane?: BacklogLane;
  readonly delivery: Delivery;
}

/**
 * A document of the model `events` that follows from the document of an event. The fields are below `entry`, so that no
 * filter and no index for events contains an entry.
 */
export interface EntryDocument extends ModelDocument {
  readonly entry: DeliveryEntry;
}

/** The statuses of deliveries that have an entry. */
export const countedStatuses = [
  'pending',
  'retrying',
  'failed',
  'canceled',
] as const satisfies readonly DeliveryStatus[];

/** The numbers of entries of one webhook whose events are in one partition. A missing number is zero. */
export interface DeliveryCounters extends Readonly<
  Partial<Record<(typeof countedStatuses)[number], number>>
> {
  readonly webhookId: string;
  /** The tenancy of the webhook; missing without one. */
  readonly ofTenancy?: string;
  /** The number of parked deliveries, which are pending or retrying. */
  readonly parked?: number;
  /** The numbers of deliveries that are retrying or failed, by `<error code>/<status code>` of their last error. */
  readonly errors?: Readonly<Record<string, number>>;
}

/** A document of the model `events` that follows from entries. */
export interface CountersDocument extends ModelDocument {
  readonly counters: DeliveryCounters;
}

export type DerivedDocument = EntryDocument | CountersDocument;

export const entryPrefix = 'entry/';
export const countersPrefix = 'counters/';

export function entryIdOf(accountId: string, webhookId: string, eventId: string): string {
  return `${entryPrefix}${accountId}/${webhookId}/${eventId}`;
}

export function countersIdOf(accountId: string, webhookId: string, home: number): string {
  return `${countersPrefix}${accountId}/${webhookId}/${String(home)}`;
}

/** The home partition of a counters document. */
export function homeOfCounters({ _id: id }: Pick<CountersDocument, '_id'>): number {
  return Number(id.slice(id.lastIndexOf('/') + 1));
}

/** Whether a document is an entry or a counters document, which no read of events returns. */
export function isDerived(document: { readonly _id?: unknown }): document is DerivedDocument;
export function isDerived({ _id }: { readonly _id?: unknown }): boolean {
  return typeof _id === 'string' && (_id.startsWith(entryPrefix) || _id.startsWith(countersPrefix));
}

/** The filter for all entries and counters. In ASCII, `0` follows `/`. */
export const derivedDocuments = {
  $or: [{ _id: { $gte: countersPrefix, $lt: 'counters0' } }, { _id: { $gte: entryPrefix, $lt: 'entry0' } }],
};

/** The filter for all entries and counters of an account. */
export function derivedOf(accountId: string) {
  return [entryPrefix, countersPrefix].map((prefix) => ({
    _id: { $gte: `${prefix}${accountId}/`, $lt: `${prefix}${accountId}0` },
  }));
}

export type WebhookDocument = (Omit<Webhook, 'id'> | Omit<DeletedWebhook, 'id'>) & ResourceDocument;

export type AccountDocument = (Omit<Account, 'id'> | Omit<DeletedAccount, 'id'>) & ResourceDocument;

/** The document of an account that was not deleted. */
export type LiveAccountDocument = Omit<Account, 'id'> & ResourceDocument;

/** The fields that the documents of existing and of deleted event types have. */
interface StoredEventType extends ResourceDocument {
  /** Whether the API checks posted events of the type: the event type exists, and its validation is not `off`. */
  readonly checked: boolean;
  /** The position of the record of the last change, for API processes that read only changed documents. */
  readonly partition: number;
  readonly offset: number;
}

/** The document of an existing event type. */
export interface LiveEventTypeDocument extends Omit<EventType, 'schema' | 'examples'>, StoredEventType {
  /** The JSON text of the schema, byte for byte as posted; null without a schema. */
  readonly schema: Binary | null;
  /** The JSON text of the list of examples, byte for byte as posted. */
  readonly examples: Binary;
  /** The size of schema and examples, in bytes. */
  readonly bytes: number;
}

/** The document of a deleted event type. */
interface DeletedEventTypeDocument extends DeletedEventType, StoredEventType {
  readonly schema?: never;
  readonly examples?: never;
  readonly bytes?: never;
}

export type EventTypeDocument = LiveEventTypeDocument | DeletedEventTypeDocument;

/** The id of the document of an event type. A name contains no slash. */
export function eventTypeIdOf(accountId: string, mode: Mode, name: string): string {
  return `${accountId}/${mode}/${name}`;
}

/** The document of an existing or a deleted tenant. */
export interface TenantDocument
  extends Omit<Tenant | DeletedTenant, 'status'>, Pick<Tenant, 'name'>, LifeMarks, ResourceDocument {
  readonly status: (Tenant | DeletedTenant)['status'];
  /**
   * The metadata as a list, because the name of a key may contain characters that MongoDB gives a meaning in the name of
   * a field. Empty if the tenant was deleted.
   */
  readonly metadata: readonly (readonly [key: string, value: string])[];
}

/** The id of the document of a tenant. */
export function tenantIdOf(accountId: string, mode: Mode, tenantId: string): string {
  return `${accountId}/${mode}/${tenantId}`;
}

/** The document of an API key of a tenant, which the model `tenants` contains too. */
export type TenantApiKeyDocument = (Omit<TenantApiKey, 'id'> | Omit<DeletedTenantApiKey, 'id'>) &
  ResourceDocument;

/** The document of a replay. In documents of earlier versions, `omitted` is missing. */
export type ReplayDocument = Omit<Replay, 'id' | 'omitted'> &
  Partial<Pick<Replay, 'omitted'>> &
  ModelDocument;

/** The document of an account's data key, which also says if the data key is missing. */
export interface AccountKeyDocument extends ModelDocument {
  /**
   * The account's data key, sealed with an encryption key for this account alone. The field is null if the data key was
   * destroyed, or if its record was not read.
   */
  readonly key: SealedSecret | null;
  /** The times of the first and the last tombstone of the data key. */
  readonly destroyed: { readonly first: Date; readonly last: Date } | null;
  /** Present when the fold has read the deletion of the account, which no longer needs a data key. */
  readonly isDeleted?: true;
  /** Present while the account has sealed records, but the fold has read neither a data key nor a deletion. */
  readonly lacksKey?: true;
}

/** One entry of the audit log. `positions` is empty, because no later record changes the document. */
export interface AuditDocument extends Omit<AuditEntry, 'id' | 'at'>, ModelDocument {
  /** When the action happened. Lists of every read model are ordered by `created`. */
  readonly created: Date;
}

/**
 * Headers as a list, because the name of a header may contain characters that MongoDB gives a meaning in the name of a
 * field.
 */
export type StoredHeaders = readonly (readonly [name: string, value: string])[];

/** The key of the attempts to one version of a webhook. One field leads an index that finds the last attempt by a seek. */
export function versionKeyOf({ id, version }: Pick<Webhook, 'id' | 'version'>): string {
  return `${id}/${String(version)}`;
}

/** The document of one attempt of a delivery. `positions` is empty, because no later record changes the document. */
export interface AttemptDocument extends EventOfTenant, ModelDocument {
  readonly accountId: string;
  readonly mode: Mode;
  readonly eventId: string;
  readonly webhookId: string;
  /** The version of the webhook that the request was sent to: see `versionKeyOf`. */
  readonly versionKey: string;
  /** The tenancy of the webhook; missing without one. */
  readonly tenancy?: string;
  readonly cycle: number;
  readonly number: number;
  readonly trigger: AttemptTrigger;
  readonly status: 'succeeded' | 'failed';
  readonly statusCode: number | null;
  readonly error: DeliveryError | null;
  readonly durationMs: number;
  /** The beginning of the response body, at most 4 KiB. */
  readonly responseBody: Binary;
  /** Whether `responseBody` is not the whole body; missing if it is, and for records of earlier versions. */
  readonly responseTruncated?: boolean;
  /** How often the request was sent; missing if it was not repeated, and for records of earlier versions. */
  readonly requests?: number;
  /**
   * The fields of the request. They are null if the record of the attempt is of an earlier version, or no request was
   * made.
   */
  readonly url: string | null;
  readonly requestHeaders: StoredHeaders | null;
  /** Null without a response. */
  readonly responseHeaders: StoredHeaders | null;
  readonly eventType: string | null;
  /** When the attempt started. Lists of every read model are ordered by `created`. */
  readonly created: Date;
  /** When the record of the attempt was appended. */
  readonly recorded: Date;
}
