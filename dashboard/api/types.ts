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
export type Event = Schemas['Event'];
export type Delivery = Schemas['Delivery'];
export type DeliveryStatus = Delivery['status'];
export type Attempt = Schemas['Attempt'];
export type Webhook = Schemas['Webhook'];
export type WebhookWithSecret = Schemas['WebhookWithSecret'];
export type ApiKey = Schemas['ApiKey'];
export type ApiKeyWithSecret = Schemas['ApiKeyWithSecret'];
export type AuditEntry = Schemas['AuditEntry'];
export type DeliveryStats = Schemas['DeliveryStats'];

export interface List<Item> {
  readonly data: readonly Item[];
  readonly hasMore: boolean;
}
