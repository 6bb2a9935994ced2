// Written by `npm run clients` from the OpenAPI document. Changes here are lost.

import type { EventDataInput } from '../json/eventDataInput.js';
import type { RawJson } from '../json/rawJson.js';

export interface Account {
  id: string;
  name: string;
  email: string;
  plan: Plan;
  status: AccountStatus;
  created: string;
  limits: AccountLimits;
  usage: AccountUsage;
  portal: PortalSettings;
  /** The session of the request, or null for a request with an API key. */
  session: AccountSession | null;
}

export interface AccountLimits {
  /** The limit applies to each mode separately. */
  requestsPerSecond: number;
  /** The limit applies to each mode separately. */
  webhooks: number;
}

export interface AccountSession {
  user: SessionUser;
  csrfToken: string;
}

export type AccountStatus = 'active' | 'suspended';

export interface AccountUsage {
  live: ModeUsage;
  test: ModeUsage;
}

export interface ApiKey {
  id: string;
  name: string;
  mode: Mode;
  /** The tenant of the API key, or null for a key of the account. */
  tenantId: string | null;
  scopes: Scope[] | null;
  prefix: ApiKeyPrefix;
  last4: string;
  status: ApiKeyStatus;
  created: string;
  expiresAt: string | null;
  lastUsedAt: string | null;
}

export type ApiKeyPrefix = 'sk_live_' | 'sk_test_';

export type ApiKeyStatus = 'active' | 'expired';

/** An API key with its secret. No other response contains the secret. */
export interface ApiKeyWithSecret {
  id: string;
  name: string;
  mode: Mode;
  /** The tenant of the API key, or null for a key of the account. */
  tenantId: string | null;
  scopes: Scope[] | null;
  prefix: ApiKeyPrefix;
  last4: string;
  status: ApiKeyStatus;
  created: string;
  expiresAt: string | null;
  lastUsedAt: string | null;
  secret: string;
}

/**
 * An attempt: one HTTP request to a webhook, which is repeated only if its connection is lost: see
 * `requests`.
 */
export interface Attempt {
  id: string;
  eventId: string;
  webhookId: string;
  /**
   * The place of the attempt among all attempts to deliver the event to the webhook, from 1, in the order in
   * which they were recorded.
   */
  number: number;
  trigger: AttemptTrigger;
  status: AttemptStatus;
  statusCode: number | null;
  error: AttemptError | null;
  durationMs: number;
  url: string | null;
  requestHeaders: AttemptHeaders | null;
  responseHeaders: AttemptHeaders | null;
  /** The first 4 KiB of the body, decoded as UTF-8. */
  responseBody: string;
  /**
   * `responseBody` is not the whole body: the body is longer than 4 KiB, or ended early, or not within the
   * time limit. The status code decides about the outcome nevertheless.
   */
  responseTruncated: boolean;
  /**
   * How often the request was sent: 2 if the webhook closed a connection that an earlier request had used,
   * before the first byte of a response. Otherwise 1.
   */
  requests: number;
  attemptedAt: string;
}

export interface AttemptError {
  /** One of the values of `DeliveryErrorCode`. Values may be added. */
  code: string;
  message: string;
}

/** Headers by lower-case name. Credentials and signatures are masked. */
export type AttemptHeaders = Record<string, string>;

export type AttemptStatus = 'succeeded' | 'failed';

export type AttemptTrigger = 'first' | 'retry' | 'resend' | 'replay' | 'test';

export interface AuditActor {
  type: AuditActorType;
  id: string | null;
  name: string | null;
}

export type AuditActorType = 'api_key' | 'user' | 'operator' | 'system';

export interface AuditChange {
  /** A text, a number, a list of texts, or null. */
  from: unknown;
  /** A text, a number, a list of texts, or null. */
  to: unknown;
}

export interface AuditClient {
  /** An IPv4 address, or the /64 network of an IPv6 address. */
  network: string;
  userAgent: string | null;
}

export interface AuditEntry {
  id: string;
  at: string;
  actor: AuditActor;
  action: string;
  resource: AuditResource;
  changes: Record<string, AuditChange>;
  /** The client of a sign-in, a sign-out or the use of an API key, or null for all other actions. */
  client: AuditClient | null;
}

export interface AuditResource {
  type: AuditResourceType;
  id: string;
}

export type AuditResourceType = 'account' | 'api_key' | 'user' | 'webhook' | 'event' | 'replay' | 'event_type' | 'tenant';

export type AuthenticationRequest = BasicAuthenticationRequest | BearerAuthenticationRequest | OAuthAuthenticationRequest | MutualTlsAuthenticationRequest;

export type AuthenticationType = 'basic' | 'bearer' | 'oauth2_client_credentials' | 'mtls';

/** Requests have the user name and the password (RFC 7617). */
export interface BasicAuthenticationRequest {
  readonly type: 'basic';
  readonly username: string;
  readonly password: string;
}

export interface BatchEvent {
  /** Words of letters, digits and underscores, joined by dots. */
  readonly type: string;
  readonly data: EventDataInput;
  /**
   * The tenant of the event. Webhooks of this tenant and webhooks of every tenant receive the event. The API
   * does not check that the tenant exists.
   */
  readonly tenantId?: string | null | undefined;
  /** For 24 hours, an event with the same key is recorded once. */
  readonly idempotencyKey?: string | undefined;
}

/** Requests have the token (RFC 6750). */
export interface BearerAuthenticationRequest {
  readonly type: 'bearer';
  readonly token: string;
}

/** Where the credentials of the client are in the request of a token. The default is `basic`. */
export type ClientAuthentication = 'basic' | 'body';

export type ColorScheme = 'auto' | 'light' | 'dark';

export interface CreateApiKeyRequest {
  readonly name: string;
  readonly mode?: Mode | undefined;
  /** The tenant of the key, or null for a key of the account. Not together with `scopes`. */
  readonly tenantId?: string | null | undefined;
  readonly scopes?: readonly Scope[] | null | undefined;
  readonly expiresAt?: string | Date | null | undefined;
}

export interface CreateEventBatchRequest {
  readonly events: readonly BatchEvent[];
}

export interface CreateEventRequest {
  /** Words of letters, digits and underscores, joined by dots. */
  readonly type: string;
  readonly data: EventDataInput;
  /**
   * The tenant of the event. Webhooks of this tenant and webhooks of every tenant receive the event. The API
   * does not check that the tenant exists.
   */
  readonly tenantId?: string | null | undefined;
}

export interface CreatePortalSessionRequest {
  /** The validity of the session, in seconds. The default is `3600`. */
  readonly expiresIn?: number | undefined;
  /**
   * The permissions of the session: all of them by default. With `events:write` a customer can resend events,
   * but not post them. An empty list permits only to read the event types.
   */
  readonly capabilities?: readonly PortalCapability[] | undefined;
}

export interface CreateReplayRequest {
  /** The webhook that gets the events. It is active, except in a dry run. */
  readonly webhookId: string;
  /** The replay selects events that were created at this time or later. Required without `eventIds`. */
  readonly since?: string | Date | undefined;
  /**
   * The replay selects events that were created at this time or earlier. The default is the time of the
   * request.
   */
  readonly until?: string | Date | undefined;
  /** The replay selects events of one of these types. `order.*` means all types below `order`. */
  readonly types?: readonly string[] | undefined;
  readonly only: ReplaySelection;
  /** The replay selects deliveries whose last attempt had one of these status codes. */
  readonly statusCodes?: readonly number[] | undefined;
  /**
   * The replay selects deliveries with an attempt whose last attempt, or which themselves, ended with one of
   * these error codes.
   */
  readonly errorCodes?: readonly DeliveryErrorCode[] | undefined;
  /**
   * The replay selects from these events, whatever their time. `since` and `until` must be left out. Ids of
   * unknown events are ignored.
   */
  readonly eventIds?: readonly string[] | undefined;
}

export interface CreateWebhookRequest {
  /**
   * The URL of the webhook: an absolute `https:` URL without credentials and fragment, or an `http:` URL if
   * the settings of the service allow it. Responses contain the URL that requests are sent to: encoded, and
   * without `.` and `..`.
   */
  readonly url: string;
  /**
   * The event types of the webhook. `order.*` means all types below `order`, and `*` alone means all types.
   */
  readonly events: readonly string[];
  readonly description?: string | null | undefined;
  /** A name for people. */
  readonly name?: string | null | undefined;
  /**
   * Headers of each request to the webhook, such as a key that the receiver requires. Responses contain their
   * names, never their values. A change merges: it keeps the headers that it does not name, and null removes
   * one. Null instead of the object removes all. At most 20 headers with 8192 bytes of names and values. The
   * names of headers that the service sets are reserved: `host`, `content-*`, `proxy-*`, those of the
   * connection, and the signature headers.
   */
  readonly headers?: Readonly<Record<string, string | null>> | null | undefined;
  /**
   * How the service authenticates at the webhook; null if it only signs its requests. The credentials are
   * stored encrypted, and no response contains them. A change replaces all fields.
   */
  readonly auth?: AuthenticationRequest | null | undefined;
  /**
   * The condition on the events that the webhook receives; null for every event of its types. The filter is
   * matched against `id`, `type`, `created`, `tenantId` and `data` of an event. It has at most 4 KiB and 8
   * levels.
   */
  readonly filter?: WebhookFilter | null | undefined;
  /**
   * The beginning of the names of the three signature headers, for receivers that verified the webhooks of
   * another system: `svix` gives `svix-id`, `svix-timestamp` and `svix-signature`. Null means `webhook`.
   */
  readonly signatureHeaderPrefix?: string | null | undefined;
  /**
   * The form of the body. `standard`, the default, is the event with its `data`. `cloudevents` is a
   * CloudEvent in structured mode. `thin` is the event without `data`, which the receiver fetches.
   */
  readonly format?: WebhookFormat | null | undefined;
  /**
   * The time limit of a whole attempt in seconds: connection, request and response. Null means the limit of
   * the service, which is 15 seconds by default.
   */
  readonly timeoutSeconds?: number | null | undefined;
  /**
   * Texts for your own use, as those of a tenant. A change replaces all of them. Deliveries do not contain
   * them.
   */
  readonly metadata?: Metadata | null | undefined;
  /**
   * The signing secret that the receiver has already, such as that of another system: `whsec_` and base64, or
   * base64 alone, of 24 to 64 bytes. Without it, or with null, the service creates one.
   */
  readonly secret?: string | null | undefined;
  /**
   * The tenant whose events the webhook receives. `*` means the events of every tenant, and events without a
   * tenant. Null means the events without a tenant. The tenant of a webhook never changes.
   */
  readonly tenantId?: string | null | undefined;
}

/** A portal session. No other response contains the token. */
export interface CreatedPortalSession {
  /** The URL of the portal, with the token in its fragment. */
  url: string;
  token: string;
  expiresAt: string;
}

export interface DeletedApiKey {
  id: string;
  deleted: true;
}

export interface DeletedEventType {
  name: string;
  deleted: true;
}

export interface DeletedTenant {
  id: string;
  deleted: true;
}

export interface DeletedWebhook {
  id: string;
  deleted: true;
}

/** The body of a request to a webhook with the format `cloudevents`. Extensions are texts. */
export interface DeliveredCloudEvent<Data = EventData> {
  specversion: '1.0';
  /** The posted id of a CloudEvent, and otherwise the id of the event. */
  id: string;
  source: string;
  type: string;
  time: string;
  datacontenttype: string;
  /** The tenant of the event; missing without a tenant. */
  tenantid?: string;
  data: Data;
  [name: string]: unknown;
}

/** The body of a request that delivers an event. */
export interface DeliveredEvent<Data = EventData> {
  /** The id of the event. */
  id: string;
  type: string;
  /** The time at which the event was created. */
  timestamp: string;
  /** The tenant of the event; missing without a tenant. */
  tenantId?: string;
  data: Data;
}

/** The body of a request to a webhook with the format `thin`. */
export interface DeliveredThinEvent {
  /** The id of the event. */
  id: string;
  type: string;
  /** The time at which the event was created. */
  timestamp: string;
  /** The tenant of the event; missing without a tenant. */
  tenantId?: string;
}

/** The delivery of an event to one webhook. */
export interface Delivery {
  webhookId: string;
  status: DeliveryStatus;
  statusCode: number | null;
  deliveredAt: string | null;
  /** The number of recorded attempts, including those of earlier resends and replays. */
  attemptCount: number;
  nextAttemptAt: string | null;
  error: DeliveryError | null;
}

export interface DeliveryError {
  /** One of the values of `DeliveryErrorCode`. Values may be added. */
  code: string;
  message: string;
}

/**
 * - `timeout`: The webhook sent no complete head of a response within the time limit. It may have processed
 * the event.
 * - `connection_refused`: No server accepts connections at the address and port of the webhook.
 * - `connection_failed`: No connection could be made for another reason: the host cannot be reached, or the
 * egress proxy of the service could not connect.
 * - `connection_reset`: The connection ended before the head of a response was complete. The webhook may have
 * processed the event.
 * - `response_invalid`: The response is not valid HTTP, or a 101 that switches protocols. The webhook may
 * have processed the event.
 * - `response_too_large`: The headers of the response have more than 16 KiB, or the informational responses
 * before it more than 256 KiB. The webhook may have processed the event.
 * - `dns_error`: The host name of the webhook could not be resolved.
 * - `tls_error`: No TLS connection could be made, for example because the certificate is not trusted.
 * - `address_not_allowed`: The service may not call the URL or the address of the webhook.
 * - `redirect_not_followed`: The webhook responded with a redirect (301, 302, 303, 307 or 308), which the
 * service does not follow.
 * - `http_status`: The webhook responded with another status than 2xx. `statusCode` contains the status.
 * - `auth_failed`: The token server of the webhook (`auth.tokenUrl`) issued no token, so no request was sent
 * to the webhook.
 * - `webhook_deleted`: The webhook was deleted before the event could be delivered.
 * - `webhook_disabled`: The webhook was disabled before the event could be delivered.
 * - `tenant_deleted`: The tenant of the event was deleted before the event could be delivered.
 * - `event_expired`: The event was removed before it could be delivered.
 * - `replay_canceled`: The replay that requested the delivery was canceled.
 */
export type DeliveryErrorCode = 'timeout' | 'connection_refused' | 'connection_failed' | 'connection_reset' | 'response_invalid' | 'response_too_large' | 'dns_error' | 'tls_error' | 'address_not_allowed' | 'redirect_not_followed' | 'http_status' | 'auth_failed' | 'webhook_deleted' | 'webhook_disabled' | 'tenant_deleted' | 'event_expired' | 'replay_canceled';

/**
 * The deliveries of a webhook whose last attempt has the same error. `firstAt` and `lastAt` are the times of
 * the first and of the last of these attempts. They are null only if an earlier version of the service has
 * stored one of the deliveries without the time.
 */
export interface DeliveryFailures {
  code: DeliveryErrorCode;
  statusCode: number | null;
  count: number;
  firstAt: string | null;
  lastAt: string | null;
}

/** The webhooks of the account and mode by state, and the numbers of their deliveries by status. */
export interface DeliveryHealth {
  webhooks: WebhookCounts;
  pending: number;
  retrying: number;
  failed: number;
  canceled: number;
  oldestOpenEventAt: string | null;
  /** The time up to which the counts contain all events and the outcomes of their deliveries. */
  asOf: string;
}

/** The statistics of one bucket, which starts at `start`. */
export interface DeliveryStats {
  start: string;
  events: number;
  succeeded: number;
  failed: number;
  p50Ms: number | null;
  p95Ms: number | null;
  p99Ms: number | null;
  byStatusCode: Record<string, number>;
}

export interface DeliveryStatsList {
  data: DeliveryStats[];
}

export type DeliveryStatus = 'pending' | 'retrying' | 'delivered' | 'failed' | 'canceled';

/**
 * `manual`: a client has disabled the webhook. `gone`: the webhook has answered 410. `failing`: its attempts
 * have failed for days.
 */
export type DisabledReason = 'manual' | 'gone' | 'failing';

export interface Event<Data = EventData> {
  id: string;
  type: string;
  created: string;
  /** The tenant of the event, or null. */
  tenantId: string | null;
  data: Data;
  deliveries: Delivery[];
  /**
   * Whether `deliveries` contains every matching webhook. It is false until delivery has taken up the event,
   * which is normally a few milliseconds after the 201 response. While it is false, the event may get more
   * deliveries. Once it is true, the set of deliveries changes only by a replay.
   */
  deliveriesComplete: boolean;
  validation: EventValidation | null;
  mode: Mode;
}

export interface EventBatch<Data = EventData> {
  data: EventBatchResult<Data>[];
}

/** The recorded event, or the reason why it was not recorded. The other field is absent. */
export interface EventBatchResult<Data = EventData> {
  event?: Event<Data>;
  error?: EventError;
}

/** An OpenAPI 3.1 document. */
export interface EventCatalog {
  openapi: '3.1.0';
  [name: string]: unknown;
}

export interface EventCount {
  events: number;
  /** Whether there may be more events than `events`. */
  isAtLeast: boolean;
}

/**
 * The content of an event, with at most 1,000 levels. The API returns it byte for byte as the client sent it.
 */
export type EventData = Record<string, unknown>;

/** The reason why an event of a batch was not recorded. */
export interface EventError {
  type: string;
  code: string;
  message: string;
  /** The invalid field, such as `events[3].type`, or null. */
  param: string | null;
}

export interface EventType<Data = EventData> {
  name: string;
  description: string | null;
  validation: ValidationMode;
  deprecated: boolean;
  created: string;
  updated: string;
  schema: JsonSchema;
  /**
   * Examples of `data`, at most 64 KiB in all. Each example must match the schema. The API returns them byte
   * for byte.
   */
  examples: Data[];
}

/** What the request would do. */
export interface EventTypeDryRun {
  /** The number of events that were checked. */
  checked: number;
  /** The number of events that `reject` would reject. */
  invalid: number;
  /** The newest invalid events, at most 20. */
  samples: InvalidEventSample[];
  /** False if the time limit of 20 s ended the check before all of these events were checked. */
  complete: boolean;
}

export interface EventTypeUsage {
  data: EventTypeUsageDay[];
  /** When the last event of the type was created. */
  lastEventAt: string | null;
}

export interface EventTypeUsageDay {
  /** The day in UTC. */
  day: string;
  events: number;
  /** Whether the day may have more events than `events`. */
  isAtLeast: boolean;
}

/** The result of the check with the schema of the event type. It is null if there was no check. */
export interface EventValidation {
  status: EventValidationStatus;
  /** The place of the failure, such as `data.amount`. */
  param: string | null;
  message: string | null;
}

/** Whether `data` matches the schema of the event type. `unknown` means that the check has not ended. */
export type EventValidationStatus = 'valid' | 'invalid' | 'unknown';

export interface InvalidEventSample {
  eventId: string;
  param: string;
  message: string;
}

/**
 * The JSON Schema (2020-12) of `data`, at most 64 KiB; null without a schema. The API returns it byte for
 * byte as the client sent it.
 */
export type JsonSchema = Record<string, unknown> | unknown[] | string | number | boolean | null;

/** An event in a list. With `fields=summary`, it has no `data`. */
export interface ListedEvent<Data = EventData> {
  id: string;
  type: string;
  created: string;
  /** The tenant of the event, or null. */
  tenantId: string | null;
  data?: Data;
  deliveries: Delivery[];
  /**
   * Whether `deliveries` contains every matching webhook. It is false until delivery has taken up the event,
   * which is normally a few milliseconds after the 201 response. While it is false, the event may get more
   * deliveries. Once it is true, the set of deliveries changes only by a replay.
   */
  deliveriesComplete: boolean;
  validation: EventValidation | null;
  mode: Mode;
}

export interface ListedEventType<Data = EventData> {
  name: string;
  description: string | null;
  validation: ValidationMode;
  deprecated: boolean;
  created: string;
  updated: string;
  schema?: JsonSchema;
  /**
   * Examples of `data`, at most 64 KiB in all. Each example must match the schema. The API returns them byte
   * for byte.
   */
  examples?: Data[];
  /** The events of the last seven days, only with `include=usage`. */
  usage?: EventCount;
}

/** At most 20 texts. A key has at most 40 characters, a value at most 500. */
export type Metadata = Record<string, string>;

export type Mode = 'live' | 'test';

export interface ModeUsage {
  /** Includes this request, in its own mode. */
  requestsThisSecond: number;
  webhooks: number;
  /** The number of API keys, including expired keys. */
  apiKeys: number;
}

/** The service authenticates with a certificate when it connects to the webhook, by TLS. */
export interface MutualTlsAuthenticationRequest {
  readonly type: 'mtls';
  /** The certificate of the client as PEM text, followed by those of intermediate authorities. */
  readonly certificate: string;
  /** The private key of the certificate as PEM text, not encrypted. */
  readonly privateKey: string;
}

/**
 * Requests have a token that the service requests with the client credentials grant (RFC 6749 section 4.4),
 * uses until shortly before it expires, and replaces after a 401.
 */
export interface OAuthAuthenticationRequest {
  readonly type: 'oauth2_client_credentials';
  /** The URL of the token endpoint, with the rules of the `url` of a webhook. */
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope?: string | undefined;
  /** The receiver for which tokens are requested, if the token endpoint requires it. */
  readonly audience?: string | undefined;
  readonly clientAuthentication?: ClientAuthentication | undefined;
}

export type Plan = 'free' | 'pro' | 'enterprise';

export type PortalCapability = 'webhooks:read' | 'webhooks:write' | 'events:read' | 'events:write';

export interface PortalSession {
  accountId: string;
  tenant: PortalTenant;
  mode: Mode;
  capabilities: PortalCapability[];
  expiresAt: string | null;
}

/** The appearance of the customer portal, and its origins. */
export interface PortalSettings {
  /** The name in the portal. */
  name: string | null;
  logoUrl: string | null;
  /** A color as `#rrggbb`. The portal derives shades of it with sufficient contrast. */
  accentColor: string | null;
  colorScheme: ColorScheme;
  /**
   * The origins of the pages that may embed the portal. Only pages of these origins may use portal sessions
   * from a browser.
   */
  origins: string[];
}

export interface PortalSettingsRequest {
  /** The name in the portal. */
  readonly name?: string | null | undefined;
  readonly logoUrl?: string | null | undefined;
  /** A color as `#rrggbb`. The portal derives shades of it with sufficient contrast. */
  readonly accentColor?: string | null | undefined;
  readonly colorScheme?: ColorScheme | undefined;
  /**
   * The origins of the pages that may embed the portal. Only pages of these origins may use portal sessions
   * from a browser.
   */
  readonly origins?: readonly string[] | undefined;
}

export interface PortalTenant {
  id: string;
  name: string | null;
}

export type PreviewReason = 'test_delivery' | 'tenant' | 'type' | 'filter' | 'webhook_disabled' | 'test_mode';

export interface PreviewSample {
  eventId: string;
  type: string;
  created: string;
  matches: boolean;
  /** The first condition of the filter that fails, such as `filter.data.amount`, or null. */
  condition: string | null;
}

export interface PreviewWebhookRequest {
  /** The id of an event, for a preview of its request. */
  readonly eventId?: string | undefined;
  /** The type of an event that is made up. */
  readonly type?: string | undefined;
  /** The content of the made-up event. Required with `type`. */
  readonly data?: EventDataInput | undefined;
  /** The tenant of the made-up event. */
  readonly tenantId?: string | null | undefined;
  /** Try the filter on the events that were created at this time or later. */
  readonly since?: string | Date | undefined;
  /**
   * The filter to try on the events since `since`. Without it, the filter of the webhook is tried; null tries
   * none.
   */
  readonly filter?: WebhookFilter | null | undefined;
}

/** The request that an attempt would send, with signatures and credentials masked. */
export interface PreviewedRequest {
  method: 'POST';
  url: string;
  headers: Record<string, string>;
  body: string;
}

export interface PutEventTypeRequest {
  /** The name in the path. It can be left out. */
  readonly name?: string | undefined;
  readonly description?: string | null | undefined;
  readonly schema?: JsonSchema | RawJson | undefined;
  /**
   * Examples of `data`, at most 64 KiB in all. Each example must match the schema. The API returns them byte
   * for byte. The default is `[]`.
   */
  readonly examples?: readonly EventDataInput[] | undefined;
  /** The default is `"off"`. */
  readonly validation?: ValidationMode | undefined;
  /** The default is `false`. */
  readonly deprecated?: boolean | undefined;
  /** The API ignores this field. */
  readonly created?: string | undefined;
  /** The API ignores this field. */
  readonly updated?: string | undefined;
}

export interface PutTenantRequest {
  readonly name?: string | null | undefined;
  readonly metadata?: Metadata | undefined;
}

/** The repeated delivery of events to a webhook. */
export interface Replay {
  id: string;
  webhookId: string;
  status: ReplayStatus;
  filter: ReplayFilter;
  /** The number of matching events, or null until the events are counted. */
  matched: number | null;
  /**
   * The number of matching events that were not sent, because they no longer matched when the replay reached
   * them. Null until the replay is `completed`.
   */
  omitted: number | null;
  /** The number of deliveries of the replay that succeeded. */
  done: number;
  /** The number of deliveries of the replay that ended as `failed` or `canceled`. */
  failed: number;
  /**
   * The number of deliveries of the replay that share the attempts of another resend or replay, because both
   * requested the delivery before its next attempt. Of the requests that share attempts, all but one count
   * the delivery here. `done` and `failed` contain these deliveries too.
   */
  joined: number;
  created: string;
  finishedAt: string | null;
}

/** What the request would do. */
export interface ReplayDryRun {
  /** The number of matching events; null until the events of a replay are counted. */
  matched: number;
  /** False if the count had to stop: a replay may match more events than `matched`. */
  complete: boolean;
  /**
   * The end of the counted time range, which is not after the request. A replay with this `until` contains no
   * newer events.
   */
  until: string;
}

export interface ReplayFilter {
  since: string | null;
  until: string | null;
  types: string[] | null;
  only: ReplaySelection;
  statusCodes: number[] | null;
  errorCodes: DeliveryErrorCode[] | null;
  /** Null for a replay of a time range, which has `since` and `until` instead. */
  eventIds: string[] | null;
}

/**
 * `failed`: the delivery to the webhook ended as `failed` or `canceled`. `missing`: the webhook subscribes to
 * the type of the event, and the event has no delivery to it. An event is missing if it was posted before the
 * webhook was created or while the webhook was disabled. `all`: every event of a type that the webhook
 * subscribes to. `open`: the delivery is `pending` or `retrying`, and its next attempt is made now.
 * `undelivered`: the events of `failed`, `missing` and `open`.
 */
export type ReplaySelection = 'failed' | 'missing' | 'all' | 'open' | 'undelivered';

export type ReplayStatus = 'running' | 'completed' | 'canceled';

export interface ResendEventRequest {
  /** The webhook whose delivery is repeated. The default is every delivery to an active webhook. */
  readonly webhookId?: string | undefined;
}

export interface RevokedPortalSessions {
  /** The number of sessions that had not expired. */
  revoked: number;
}

export interface RotateWebhookSecretRequest {
  /** The number of seconds for which the old secret also signs deliveries. The default is `86400`. */
  readonly expiresIn?: number | undefined;
  /**
   * The signing secret that the receiver has already, such as that of another system: `whsec_` and base64, or
   * base64 alone, of 24 to 64 bytes. Without it, or with null, the service creates one.
   */
  readonly secret?: string | null | undefined;
}

export type Scope = 'events:read' | 'events:write' | 'webhooks:read' | 'webhooks:write' | 'event-types:read' | 'event-types:write' | 'tenants:read' | 'tenants:write';

/** The part of the list that the API has searched. */
export interface Searched {
  /** The newest time of the resources that were searched. */
  from: string | null;
  /** The oldest time of the resources that were searched. */
  to: string | null;
  /** Whether the list has no further resource. */
  complete: boolean;
  /**
   * The last resource that was searched. If `complete` is false, the next page begins after this resource.
   */
  cursor?: string;
}

/**
 * The end and the age of the signing secret. `previousExpiresAt` is the time until which a previous secret
 * also signs; null if none does.
 */
export interface SecretInfo {
  last4: string | null;
  created: string;
  previousExpiresAt: string | null;
}

export interface SessionUser {
  id: string;
  name: string | null;
  email: string;
  role: UserRole;
}

export interface Tenant {
  id: string;
  name: string | null;
  metadata: Metadata;
  created: string;
  mode: Mode;
}

export interface TestDelivery {
  eventId: string;
}

export interface TestWebhookRequest {
  /** Words of letters, digits and underscores, joined by dots. The default is `"webhook.test"`. */
  readonly type?: string | undefined;
  /** The content of the test event. The default explains that the event is a test. */
  readonly data?: EventDataInput | undefined;
}

export interface UpdateAccountRequest {
  readonly portal?: PortalSettingsRequest | undefined;
}

export interface UpdateWebhookRequest {
  /**
   * The URL of the webhook: an absolute `https:` URL without credentials and fragment, or an `http:` URL if
   * the settings of the service allow it. Responses contain the URL that requests are sent to: encoded, and
   * without `.` and `..`.
   */
  readonly url?: string | undefined;
  /**
   * The event types of the webhook. `order.*` means all types below `order`, and `*` alone means all types.
   */
  readonly events?: readonly string[] | undefined;
  readonly description?: string | null | undefined;
  /** A name for people. */
  readonly name?: string | null | undefined;
  /**
   * At most 30 days ahead. Until this time, the dashboard lists the trouble of the webhook apart. Null, or a
   * time in the past: the webhook is not muted.
   */
  readonly mutedUntil?: string | Date | null | undefined;
  /**
   * Headers of each request to the webhook, such as a key that the receiver requires. Responses contain their
   * names, never their values. A change merges: it keeps the headers that it does not name, and null removes
   * one. Null instead of the object removes all. At most 20 headers with 8192 bytes of names and values. The
   * names of headers that the service sets are reserved: `host`, `content-*`, `proxy-*`, those of the
   * connection, and the signature headers.
   */
  readonly headers?: Readonly<Record<string, string | null>> | null | undefined;
  /**
   * How the service authenticates at the webhook; null if it only signs its requests. The credentials are
   * stored encrypted, and no response contains them. A change replaces all fields.
   */
  readonly auth?: AuthenticationRequest | null | undefined;
  /**
   * The condition on the events that the webhook receives; null for every event of its types. The filter is
   * matched against `id`, `type`, `created`, `tenantId` and `data` of an event. It has at most 4 KiB and 8
   * levels.
   */
  readonly filter?: WebhookFilter | null | undefined;
  /**
   * The beginning of the names of the three signature headers, for receivers that verified the webhooks of
   * another system: `svix` gives `svix-id`, `svix-timestamp` and `svix-signature`. Null means `webhook`.
   */
  readonly signatureHeaderPrefix?: string | null | undefined;
  /**
   * The form of the body. `standard`, the default, is the event with its `data`. `cloudevents` is a
   * CloudEvent in structured mode. `thin` is the event without `data`, which the receiver fetches.
   */
  readonly format?: WebhookFormat | null | undefined;
  /**
   * The time limit of a whole attempt in seconds: connection, request and response. Null means the limit of
   * the service, which is 15 seconds by default.
   */
  readonly timeoutSeconds?: number | null | undefined;
  /**
   * Texts for your own use, as those of a tenant. A change replaces all of them. Deliveries do not contain
   * them.
   */
  readonly metadata?: Metadata | null | undefined;
  readonly status?: WebhookStatus | undefined;
}

export interface User {
  id: string;
  email: string;
  name: string | null;
  role: UserRole;
  status: UserStatus;
  created: string;
  lastSignInAt: string | null;
}

export type UserRole = 'owner' | 'developer' | 'viewer';

export type UserStatus = 'invited' | 'active';

/**
 * What happens to a posted event that does not match the schema. `off`: events are not checked. `warn`: the
 * API accepts the event and records the result. `reject`: the API answers 400 `event_data_invalid`.
 */
export type ValidationMode = 'off' | 'warn' | 'reject';

export interface Webhook {
  id: string;
  /** The tenant whose events the webhook receives, `*` for every tenant, or null. */
  tenantId: string | null;
  url: string;
  events: string[];
  status: WebhookStatus;
  created: string;
  description: string | null;
  name: string | null;
  mutedUntil: string | null;
  secretInfo: SecretInfo;
  disabledReason: DisabledReason | null;
  mode: Mode;
  /**
   * The beginning of the names of the three signature headers, for receivers that verified the webhooks of
   * another system: `svix` gives `svix-id`, `svix-timestamp` and `svix-signature`. Null means `webhook`.
   */
  signatureHeaderPrefix: string | null;
  /**
   * The form of the body. `standard`, the default, is the event with its `data`. `cloudevents` is a
   * CloudEvent in structured mode. `thin` is the event without `data`, which the receiver fetches.
   */
  format: WebhookFormat | null;
  /**
   * The time limit of a whole attempt in seconds: connection, request and response. Null means the limit of
   * the service, which is 15 seconds by default.
   */
  timeoutSeconds: number | null;
  /**
   * Texts for your own use, as those of a tenant. A change replaces all of them. Deliveries do not contain
   * them.
   */
  metadata: Metadata | null;
  /**
   * The headers of each request to the webhook, in lower case, and when their values were last changed. The
   * values are not shown.
   */
  headers: WebhookHeader[] | null;
  /**
   * How the service authenticates at the webhook, without credentials; null if it only signs its requests.
   * The fields after `updated` are those of `oauth2_client_credentials` and `mtls`.
   */
  auth: WebhookAuthentication | null;
  /**
   * The condition on the events that the webhook receives; null for every event of its types. The filter is
   * matched against `id`, `type`, `created`, `tenantId` and `data` of an event. It has at most 4 KiB and 8
   * levels.
   */
  filter: WebhookFilter | null;
  /** The health of the webhook, only in a list with `include=health`. */
  health?: WebhookHealth;
}

export interface WebhookAuthentication {
  type: AuthenticationType;
  /** When the authentication was last changed. */
  updated: string;
  tokenUrl?: string;
  clientId?: string;
  scope?: string;
  audience?: string;
  clientAuthentication?: ClientAuthentication;
  /** The subject of the certificate. */
  subject?: string;
  /** When the certificate expires. */
  expires?: string;
}

export interface WebhookCounts {
  healthy: number;
  undelivered: number;
  failing: number;
  disabled: number;
}

/** Conditions on the fields of an event, such as `{"data": {"total": {"$gte": 100}}}`. */
export type WebhookFilter = Record<string, unknown>;

export type WebhookFormat = 'standard' | 'cloudevents' | 'thin';

export interface WebhookHeader {
  name: string;
  updated: string;
}

/**
 * The state of all deliveries of a webhook. `pending`, `retrying`, `failed` and `canceled` count the
 * deliveries that have this status now.
 */
export interface WebhookHealth {
  webhookId: string;
  state: WebhookHealthState;
  pending: number;
  retrying: number;
  failed: number;
  canceled: number;
  /** The 20 most frequent errors of the deliveries that are retrying or failed, most frequent first. */
  failures: DeliveryFailures[];
  /** The first failed attempt after the last success; null if the last attempt succeeded. */
  firstFailureAt: string | null;
  /**
   * Attempts from before the last change of the `url`, of `headers` or of `auth`, and from before the last
   * enabling do not count, also for the state and `firstFailureAt`.
   */
  lastFailureAt: string | null;
  /**
   * Attempts from before the last change of the `url`, of `headers` or of `auth`, and from before the last
   * enabling do not count, also for the state and `firstFailureAt`.
   */
  lastSuccessAt: string | null;
  nextAttemptAt: string | null;
  /** When the oldest event was created whose delivery is pending or retrying. */
  oldestOpenEventAt: string | null;
  /** The time up to which the counts contain all events and the outcomes of their deliveries. */
  asOf: string;
}

/**
 * `disabled`: the webhook is disabled. `failing`: the last attempt has failed, or a delivery is retrying.
 * `undelivered`: the last attempt has succeeded, but a delivery is failed. `healthy`: none of these.
 */
export type WebhookHealthState = 'healthy' | 'undelivered' | 'failing' | 'disabled';

/**
 * With `eventId` or `type`: `matches`, `reason`, `condition` and `request`. With `since`: `checked`,
 * `matched`, `failed`, `samples` and `complete`.
 */
export interface WebhookPreview {
  /** Whether the webhook would get the event if it were posted now. */
  matches?: boolean;
  /**
   * Why the webhook does not get the event: `tenant` and `type` are not those of the webhook, a condition of
   * the `filter` fails, the event is a test delivery to another webhook (`test_delivery`), the webhook is
   * disabled (`webhook_disabled`), or in test mode nothing is delivered (`test_mode`). Null if it matches.
   */
  reason?: PreviewReason | null;
  /** The first condition of the filter that fails, such as `filter.data.amount`, or null. */
  condition?: string | null;
  request?: PreviewedRequest;
  /** The number of events that were checked, newest first: at most 10000. */
  checked?: number;
  /** The number of checked events for which the filter holds. */
  matched?: number;
  /** The number of events that could not be checked. A filter never fails. */
  failed?: number;
  /** The newest checked events: at most 10 that match, and as many that do not. */
  samples?: PreviewSample[];
  /** Whether all events since `since`, or the newest 10000, were checked in time. */
  complete?: boolean;
}

export type WebhookStatus = 'active' | 'disabled';

export interface WebhookWithSecret {
  id: string;
  /** The tenant whose events the webhook receives, `*` for every tenant, or null. */
  tenantId: string | null;
  url: string;
  events: string[];
  status: WebhookStatus;
  created: string;
  description: string | null;
  name: string | null;
  mutedUntil: string | null;
  secretInfo: SecretInfo;
  disabledReason: DisabledReason | null;
  mode: Mode;
  /**
   * The beginning of the names of the three signature headers, for receivers that verified the webhooks of
   * another system: `svix` gives `svix-id`, `svix-timestamp` and `svix-signature`. Null means `webhook`.
   */
  signatureHeaderPrefix: string | null;
  /**
   * The form of the body. `standard`, the default, is the event with its `data`. `cloudevents` is a
   * CloudEvent in structured mode. `thin` is the event without `data`, which the receiver fetches.
   */
  format: WebhookFormat | null;
  /**
   * The time limit of a whole attempt in seconds: connection, request and response. Null means the limit of
   * the service, which is 15 seconds by default.
   */
  timeoutSeconds: number | null;
  /**
   * Texts for your own use, as those of a tenant. A change replaces all of them. Deliveries do not contain
   * them.
   */
  metadata: Metadata | null;
  /**
   * The headers of each request to the webhook, in lower case, and when their values were last changed. The
   * values are not shown.
   */
  headers: WebhookHeader[] | null;
  /**
   * How the service authenticates at the webhook, without credentials; null if it only signs its requests.
   * The fields after `updated` are those of `oauth2_client_credentials` and `mtls`.
   */
  auth: WebhookAuthentication | null;
  /**
   * The condition on the events that the webhook receives; null for every event of its types. The filter is
   * matched against `id`, `type`, `created`, `tenantId` and `data` of an event. It has at most 4 KiB and 8
   * levels.
   */
  filter: WebhookFilter | null;
  /** `whsec_` and the signing key in Base64. */
  secret: string;
}
