import { z } from 'zod';

import { scopes } from '../../../shared/domain/accounts/account.js';
import { listSchema, pagingParameters } from '../../http/paging.js';
import {
  authenticatedRoute,
  noBody,
  noQuery,
  type AuthenticatedHandler,
  type Route,
} from '../../http/route.js';
import {
  modeSchema,
  requestTimeSchema,
  tenantFilter,
  tenantIdSchema,
  textSchema,
  timeSchema,
} from '../../http/schemas.js';
import { mustBe } from '../../http/validation.js';

export interface ApiKeyHandlers {
  readonly create: AuthenticatedHandler<typeof createApiKeyBody, typeof noQuery>;
  readonly list: AuthenticatedHandler<typeof noBody, typeof listApiKeysQuery>;
  readonly remove: AuthenticatedHandler<typeof noBody, typeof noQuery>;
}

const tag = 'API keys';

export function apiKeyRoutes(apiKeys: ApiKeyHandlers): readonly Route[] {
  return [createApiKey(apiKeys), listApiKeys(apiKeys), deleteApiKey(apiKeys)];
}

function createApiKey(apiKeys: ApiKeyHandlers): Route {
  return authenticatedRoute({
    method: 'POST',
    path: '/v1/api-keys',
    operationId: 'createApiKey',
    tag,
    summary: 'Create an API key',
    description:
      'Creates a full API key, or with `scopes` a key with scopes (plan Enterprise). The ' +
      'default `mode` is the mode of the calling key. A test key can create only test keys. ' +
      'Only the response of this operation contains the `secret`. The new key works within a ' +
      'second. An account has at most 100 keys in each mode.\n\n' +
      'With `tenantId`, the key is for the backend of one tenant (any plan). It has all permissions of a portal ' +
      'session of the tenant, posts events of the tenant, and has the rate limit of the plan. It manages neither keys ' +
      'nor tenants. A tenant has at most 100 keys, which do not count for the account.',
    scope: null,
    tenants: 'forbidden',
    names: null,
    body: createApiKeyBody,
    query: noQuery,
    successStatus: 201,
    response: apiKeyWithSecretSchema,
    errors: ['insufficient_scope', 'plan_required', 'tenant_unknown'],
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
  return authenticatedRoute({
    method: 'GET',
    path: '/v1/api-keys',
    operationId: 'listApiKeys',
    tag,
    summary: 'List API keys',
    description:
      'Returns the API keys of the account and of its tenants, newest first. A request with a live key returns ' +
      'all keys, and a request with a test key only test keys. `lastUsedAt` is at most a ' +
      'minute behind.',
    scope: null,
    tenants: 'forbidden',
    names: null,
    body: noBody,
    query: listApiKeysQuery,
    response: apiKeyListSchema,
    errors: ['cursor_invalid'],
    examples: { response: { data: [apiKeyExample], hasMore: false } },
    handle: apiKeys.list,
  });
}

function deleteApiKey(apiKeys: ApiKeyHandlers): Route {
  return authenticatedRoute({
    method: 'DELETE',
    path: '/v1/api-keys/:id',
    operationId: 'deleteApiKey',
    tag,
    summary: 'Delete an API key',
    description:
      'Deletes an API key of the account or of a tenant, which stops working within a second. The last unexpired full key of ' +
      'a mode cannot be deleted, because no remaining key could create another key.',
    scope: null,
    tenants: 'forbidden',
    names: 'api-key',
    body: noBody,
    query: noQuery,
    response: deletedApiKeySchema,
    errors: ['resource_missing', 'last_key'],
    examples: { response: { id: apiKeyExample.id, deleted: true } },
    handle: apiKeys.remove,
  });
}

/** The examples in the OpenAPI document. A test checks each example against its schema. */

const apiKeyExample = {
  id: 'key_01M7YDPTQM04NT3X3AX52TZD0R',
  name: 'Shop backend',
  mode: 'live',
  tenantId: null,
  scopes: ['events:write'],
  prefix: 'sk_live_',
  last4: 'nobw',
  status: 'active',
  created: '2026-11-21T06:46:40.628Z',
  expiresAt: '2027-11-21T00:00:00.000Z',
  lastUsedAt: '2026-11-21T09:12:31.007Z',
};

const apiKeySecretExample = 'sk_live_gIcb-9k2wT15t4UL4KpIHOOeqs6ta56AvpMBJ0nnobw';

const maximumNameLength = 100;

const scopeSchema = z.enum(scopes, mustBe(`one of ${scopes.join(', ')}`)).meta({ id: 'Scope' });

export const createApiKeyBody = z
  .strictObject({
    name: textSchema(maximumNameLength).regex(/\S/, mustBe('a name')),
    mode: modeSchema.optional(),
    tenantId: tenantIdSchema.nullable().default(null).meta({
      description: 'The tenant of the key, or null for a key of the account. Not together with `scopes`.',
    }),
    scopes: z
      .array(scopeSchema)
      .min(1, mustBe('a list of at least one scope, or absent for a full key'))
      .transform((given) => [...new Set(given)])
      .nullable()
      .default(null),
    expiresAt: requestTimeSchema()
      .transform((text) => new Date(text))
      .nullable()
      .default(null),
  })
  .meta({ id: 'CreateApiKeyRequest' });

export const listApiKeysQuery = z.strictObject({
  ...pagingParameters(),
  tenantId: tenantFilter.optional().meta({
    description: 'Return only API keys of this tenant, or with `null` only API keys of the account.',
  }),
});

const apiKeyFields = z.object({
  id: z.string(),
  name: z.string(),
  mode: modeSchema,
  tenantId: z
    .string()
    .nullable()
    .meta({ description: 'The tenant of the API key, or null for a key of the account.' }),
  scopes: z.array(scopeSchema).nullable(),
  prefix: z.enum(['sk_live_', 'sk_test_']).meta({ id: 'ApiKeyPrefix' }),
  last4: z.string(),
  status: z.enum(['active', 'expired']).meta({ id: 'ApiKeyStatus' }),
  created: timeSchema,
  expiresAt: timeSchema.nullable(),
  lastUsedAt: timeSchema.nullable(),
});

const apiKeySchema = apiKeyFields.meta({ id: 'ApiKey' });

export const apiKeyWithSecretSchema = apiKeyFields.extend({ secret: z.string() }).meta({
  id: 'ApiKeyWithSecret',
  description: 'An API key with its secret. No other response contains the secret.',
});

export const apiKeyListSchema = listSchema(apiKeySchema).meta({ id: 'ApiKeyList' });

export const deletedApiKeySchema = z
  .object({ id: z.string(), deleted: z.literal(true) })
  .meta({ id: 'DeletedApiKey' });
