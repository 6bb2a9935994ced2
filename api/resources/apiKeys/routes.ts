import { keyRoute, noBody, noQuery, type Route } from '../../http/route.js';
import type { ApiKeyHandlers } from './handlers.js';
import {
  apiKeyListSchema,
  apiKeyWithSecretSchema,
  createApiKeyBody,
  deletedApiKeySchema,
  listApiKeysQuery,
} from './schemas.js';

const tag = 'API keys';

export function apiKeyRoutes(apiKeys: ApiKeyHandlers): readonly Route[] {
  return [createApiKey(apiKeys), listApiKeys(apiKeys), deleteApiKey(apiKeys)];
}

function createApiKey(apiKeys: ApiKeyHandlers): Route {
  return keyRoute({
    method: 'POST',
    path: '/v1/api-keys',
    operationId: 'createApiKey',
    tag,
    summary: 'Create an API key',
    description:
      'A full key, or with `scopes` one that may do only what they say (Enterprise). `mode` is that of the calling key where it ' +
      'is left out; a test key makes test keys only. The `secret` is shown this once. The key works within a second. An account ' +
      'has at most 100 keys in each mode.',
    scope: null,
    body: createApiKeyBody,
    query: noQuery,
    successStatus: 201,
    response: apiKeyWithSecretSchema,
    errors: ['insufficient_scope', 'plan_required'],
    examples: {
      body: {
        name: apiKeyExample.name,
        mode: apiKeyExample.mode,
        scopes: apiKeyExample.scopes,
        expiresAt: apiKeyExample.expiresAt,
      },
      response: { ...apiKeyExample, lastUsedAt: null, secret: apiKeySecretExample },
    },
    handle: apiKeys.create,
  });
}

function listApiKeys(apiKeys: ApiKeyHandlers): Route {
  return keyRoute({
    method: 'GET',
    path: '/v1/api-keys',
    operationId: 'listApiKeys',
    tag,
    summary: 'List API keys',
    description:
      'The keys of the account, newest first: all of them with a live key, those of test mode with a test key. `lastUsedAt` is at ' +
      'most a minute behind.',
    scope: null,
    body: noBody,
    query: listApiKeysQuery,
    successStatus: 200,
    response: apiKeyListSchema,
    errors: ['cursor_invalid'],
    examples: { response: { data: [apiKeyExample], hasMore: false } },
    handle: apiKeys.list,
  });
}

function deleteApiKey(apiKeys: ApiKeyHandlers): Route {
  return keyRoute({
    method: 'DELETE',
    path: '/v1/api-keys/:id',
    operationId: 'deleteApiKey',
    tag,
    summary: 'Delete an API key',
    description:
      'The key stops working within a second, everywhere. The last full key of a mode that has not expired cannot be deleted: ' +
      'nobody could make a new one.',
    scope: null,
    body: noBody,
    query: noQuery,
    successStatus: 200,
    response: deletedApiKeySchema,
    errors: ['resource_missing', 'last_key'],
    examples: { response: { id: apiKeyExample.id, deleted: true } },
    handle: apiKeys.remove,
  });
}

/** What the API's description shows. A test checks each against its schema. */

const apiKeyExample = {
  id: 'key_01M7YDPTQM04NT3X3AX52TZD0R',
  name: 'Shop backend',
  mode: 'live',
  scopes: ['events:write'],
  prefix: 'sk_live_',
  last4: 'nobw',
  status: 'active',
  created: '2026-11-21T06:46:40.628Z',
  expiresAt: '2027-11-21T00:00:00.000Z',
  lastUsedAt: '2026-11-21T09:12:31.007Z',
};

const apiKeySecretExample = 'sk_live_gIcb-9k2wT15t4UL4KpIHOOeqs6ta56AvpMBJ0nnobw';
