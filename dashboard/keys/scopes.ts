import type { ApiKey } from '../api/types.js';

export type Scope = NonNullable<ApiKey['scopes']>[number];

export const scopeTexts: readonly (readonly [Scope, string])[] = [
  ['events:read', 'List and read events'],
  ['events:write', 'Post and resend events'],
  ['webhooks:read', 'List and read webhooks'],
  ['webhooks:write', 'Create, change and delete webhooks'],
];
