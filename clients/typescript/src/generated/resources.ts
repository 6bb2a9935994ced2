// Written by `npm run clients` from the OpenAPI document. Changes here are lost.

import type { HttpClient } from '../http/httpClient.js';
import { EventsResource } from './resources/events.js';
import { EventTypesResource } from './resources/eventTypes.js';
import { WebhooksResource } from './resources/webhooks.js';
import { DeliveryHealthResource } from './resources/deliveryHealth.js';
import { AttemptsResource } from './resources/attempts.js';
import { ReplaysResource } from './resources/replays.js';
import { StatsResource } from './resources/stats.js';
import { TenantsResource } from './resources/tenants.js';
import { ApiKeysResource } from './resources/apiKeys.js';
import { AccountResource } from './resources/account.js';
import { PortalSessionResource } from './resources/portalSession.js';
import { UsersResource } from './resources/users.js';
import { AuditLogResource } from './resources/auditLog.js';

export type * from './resources/events.js';
export type * from './resources/eventTypes.js';
export type * from './resources/webhooks.js';
export type * from './resources/deliveryHealth.js';
export type * from './resources/attempts.js';
export type * from './resources/replays.js';
export type * from './resources/stats.js';
export type * from './resources/tenants.js';
export type * from './resources/apiKeys.js';
export type * from './resources/account.js';
export type * from './resources/portalSession.js';
export type * from './resources/users.js';
export type * from './resources/auditLog.js';

/** The operations of the API, by resource. */
export class Resources {
  readonly events: EventsResource;
  readonly eventTypes: EventTypesResource;
  readonly webhooks: WebhooksResource;
  readonly deliveryHealth: DeliveryHealthResource;
  readonly attempts: AttemptsResource;
  readonly replays: ReplaysResource;
  readonly stats: StatsResource;
  readonly tenants: TenantsResource;
  readonly apiKeys: ApiKeysResource;
  readonly account: AccountResource;
  readonly portalSession: PortalSessionResource;
  readonly users: UsersResource;
  readonly auditLog: AuditLogResource;

  constructor(client: HttpClient) {
    this.events = new EventsResource(client);
    this.eventTypes = new EventTypesResource(client);
    this.webhooks = new WebhooksResource(client);
    this.deliveryHealth = new DeliveryHealthResource(client);
    this.attempts = new AttemptsResource(client);
    this.replays = new ReplaysResource(client);
    this.stats = new StatsResource(client);
    this.tenants = new TenantsResource(client);
    this.apiKeys = new ApiKeysResource(client);
    this.account = new AccountResource(client);
    this.portalSession = new PortalSessionResource(client);
    this.users = new UsersResource(client);
    this.auditLog = new AuditLogResource(client);
  }
}
