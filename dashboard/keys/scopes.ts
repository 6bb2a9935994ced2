import type { ApiKey } from '../api/types.js';

export type Scope = NonNullable<ApiKey['scopes']>[number];

export const scopeTexts: readonly (readonly [Scope, string])[] = [
  ['events:read', 'List and read events'],
  ['events:write', 'Post and resend events'],
  ['webhooks:read', 'List and read webhooks'],
  ['webhooks:write', 'Create, change and delete webhooks'],
  ['event-types:read', 'List and retrieve event types, and the event catalog'],
  ['event-types:write', 'Create, replace and delete event types'],
  ['tenants:read', 'List and retrieve tenants'],
  ['tenants:write', 'Create, change and delete tenants, and open portal sessions'],
];
