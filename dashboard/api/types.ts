import type { components, paths } from '../../test/contract/generated/api.js';

/** The operations in the OpenAPI document of the API. */
export type Paths = paths;

type Schemas = components['schemas'];

/** The resources in the OpenAPI document of the API. */
export type Account = Schemas['Account'];
export type User = Schemas['User'];
export type SessionUser = Schemas['SessionUser'];
export type Role = SessionUser['role'];
export type Replay = Schemas['Replay'];
/** The answer to a request for a replay. With `dryRun`, it is a count. */
export type ReplayOrDryRun = Schemas['ReplayOrDryRun'];
export type Event = Schemas['Event'];
/** An event in a list, which has no `data` in a summary. */
export type ListedEvent = Schemas['ListedEvent'];
/** The part of a list that the API has searched. */
export type Searched = Schemas['Searched'];
export type Delivery = Schemas['Delivery'];
export type DeliveryStatus = Delivery['status'];
export type Attempt = Schemas['Attempt'];
/** A webhook. A webhook of a list has its health if the request asks for it. */
export type Webhook = Schemas['Webhook'];
/** The counts of a webhook's deliveries by status, their errors, and the times of the last attempts. */
export type WebhookHealth = Schemas['WebhookHealth'];
/** The deliveries whose last attempt has the same error. */
export type DeliveryFailures = Schemas['DeliveryFailures'];
/** What a webhook would receive: of one event, or counts of a filter. */
export type WebhookPreview = Schemas['WebhookPreview'];
export type WebhookWithSecret = Schemas['WebhookWithSecret'];
export type ApiKey = Schemas['ApiKey'];
export type ApiKeyWithSecret = Schemas['ApiKeyWithSecret'];
export type AuditEntry = Schemas['AuditEntry'];
export type DeliveryStats = Schemas['DeliveryStats'];
export type EventType = Schemas['EventType'];
/** An event type in a list, which has neither `schema` nor `examples` in a summary. */
export type ListedEventType = Schemas['ListedEventType'];
export type EventTypeDryRun = Required<
  Pick<Schemas['EventTypeOrDryRun'], 'checked' | 'invalid' | 'samples' | 'complete'>
>;
export type EventTypeUsage = Schemas['EventTypeUsage'];
export type EventCount = Schemas['EventCount'];

export interface List<Item> {
  readonly data: readonly Item[];
  readonly hasMore: boolean;
}
/** A customer of the account, with its own webhooks. */
export type Tenant = Schemas['Tenant'];
/** The webhooks of an account or a tenant by state, and their deliveries by status. */
export type DeliveryHealth = Schemas['DeliveryHealth'];
/** The appearance of the customer portal, and the origins that may embed it. */
export type PortalSettings = Schemas['PortalSettings'];
export type CreatedPortalSession = Schemas['CreatedPortalSession'];
/** The session of a customer in the portal of an account. */
export type PortalSession = Schemas['PortalSession'];
