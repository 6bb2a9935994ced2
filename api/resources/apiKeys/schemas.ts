import { z } from 'zod';

import { scopes } from '../../../shared/domain/accounts/account.js';
import { listOf, pagingParameters } from '../../http/paging.js';
import { modeSchema, textSchema, timeSchema } from '../../http/schemas.js';
import { must } from '../../http/validation.js';

const maximumNameLength = 100;

const scopeSchema = z.enum(scopes, must(`one of ${scopes.join(', ')}`));

export const createApiKeyBody = z.strictObject({
  name: textSchema(maximumNameLength).regex(/\S/, must('a name')),
  mode: z.enum(['live', 'test'], must('live or test')).optional(),
  scopes: z
    .array(scopeSchema)
    .min(1, must('a list of at least one scope, or left out for a full key'))
    .transform((given) => [...new Set(given)])
    .nullable()
    .default(null),
  expiresAt: z.iso
    .datetime(must('a time such as 2026-11-20T11:02:03.456Z'))
    .transform((text) => new Date(text))
    .nullable()
    .default(null),
});

export const listApiKeysQuery = z.strictObject(pagingParameters());

const apiKeyFields = z.object({
  id: z.string(),
  name: z.string(),
  mode: modeSchema,
  scopes: z.array(z.enum(scopes)).nullable(),
  prefix: z.enum(['sk_live_', 'sk_test_']),
  last4: z.string(),
  status: z.enum(['active', 'expired']),
  created: timeSchema,
  expiresAt: timeSchema.nullable(),
  lastUsedAt: timeSchema.nullable(),
});

const apiKeySchema = apiKeyFields.meta({ id: 'ApiKey' });

export const apiKeyWithSecretSchema = apiKeyFields
  .extend({ secret: z.string() })
  .meta({ id: 'ApiKeyWithSecret', description: 'An API key, and its secret, which is shown this once.' });

export const apiKeyListSchema = listOf(apiKeySchema).meta({ id: 'ApiKeyList' });

export const deletedApiKeySchema = z.object({ id: z.string(), deleted: z.literal(true) });
