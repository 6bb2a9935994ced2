import { z } from 'zod';

import type { TenantApiKeyFact } from '../../domain/accounts/tenantApiKey.js';
import type { TenantFact, TenantSettings } from '../../domain/tenants/tenant.js';
import { createFactCodec, type ValueSchemas } from '../encoding/factCodec.js';
import {
  actorSchema,
  boundaryIdsSchema,
  changesSchema,
  clientTraceSchema,
  modeSchema,
  timeSchema,
} from '../encoding/schemas.js';

const nameSchema = z.string().nullable();
const metadataSchema = z.record(z.string(), z.string());
const offsetsSchema = z.array(z.int().nonnegative());

/** The fields of every record about an API key of a tenant. */
const apiKeyFields = { keyId: z.string(), lifeId: z.string(), mode: modeSchema, actor: actorSchema };

const schemas: ValueSchemas<TenantFact | TenantApiKeyFact> = {
  'postrider.tenant.created': z
    .object({
      name: nameSchema,
      metadata: metadataSchema,
      eventsFrom: offsetsSchema,
      eventsFromIds: boundaryIdsSchema,
      actor: actorSchema,
    })
    .describe(
      'A tenant was created, or created again after its deletion. The `ce_id` of the record is the id of this life of ' +
        'the tenant. The life has the events at or above `eventsFrom`: the end offset of each partition of `events`, ' +
        'as read before the record was appended.',
    ),
  'postrider.tenant.updated': z
    .object({
      changes: changesSchema<TenantSettings>({ name: nameSchema, metadata: metadataSchema }),
      actor: actorSchema,
    })
    .describe('Fields of a tenant were changed. `changes` contains only the changed fields.'),
  'postrider.tenant.sessions-revoked': z
    .object({ lifeId: z.string(), actor: actorSchema })
    .describe('All portal sessions of a life of a tenant were ended.'),
  'postrider.tenant.deleted': z
    .object({
      lifeId: z.string(),
      eventsBelow: offsetsSchema,
      eventsBelowIds: boundaryIdsSchema,
      apiKeyIds: z.array(z.string()),
      actor: actorSchema,
    })
    .describe(
      'A life of a tenant has ended, with its API keys. The life has the events below `eventsBelow`. The record has no ' +
        'effect on another life of the same tenant id.',
    ),
  'postrider.tenant.erased': z
    .object({ lifeId: z.string() })
    .describe(
      'The read models contain no event, attempt or replay of a life that has ended, and ignore its records from now on.',
    ),
  'postrider.api-key.created': z
    .object({
      ...apiKeyFields,
      name: z.string(),
      expiresAt: timeSchema.nullable(),
      hash: z.string(),
      prefix: z.string(),
      last4: z.string(),
    })
    .describe(
      'An API key of a life of a tenant was created. The value contains a hash of the secret, and never the secret.',
    ),
  'postrider.api-key.deleted': z
    .object({ ...apiKeyFields, name: z.string() })
    .describe('An API key of a tenant was deleted.'),
  'postrider.api-key.first-used': z
    .object({ ...apiKeyFields, client: clientTraceSchema })
    .describe('The first request with an API key of a tenant.'),
};

/**
 * The records of the topic `tenants`. The record key is the account's id and the tenant id, such as `acct_…/customer-42`.
 * `ce_mode` separates the modes. Values are sealed, because names and metadata may contain personal data. The record
 * of an erasure contains only the id of a life, and is not sealed.
 */
export const tenantRecords = createFactCodec<TenantFact | TenantApiKeyFact>('tenants', schemas, {
  isSealed: true,
});
