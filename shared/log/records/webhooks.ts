import { z } from 'zod';

import {
  isSignaturePrefix,
  maximumTimeoutSeconds,
  parsedMetadata,
  webhookFormats,
  type WebhookOptions,
} from '../../domain/webhooks/options.js';
import type { ChangeableSettings, WebhookFact } from '../../domain/webhooks/webhook.js';
import { isFilter } from '../../filters/compileFilter.js';
import { createFactCodec, type ValueSchemas } from '../encoding/factCodec.js';
import {
  actorSchema,
  boundaryIdsSchema,
  changeSchema,
  changesSchema,
  sealedSecretSchema,
  timeSchema,
} from '../encoding/schemas.js';

const settings = {
  url: z.string(),
  events: z.array(z.string()).min(1),
  description: z.string().nullable(),
  name: z.string().nullable(),
};

/** The options. An option that is not set is missing in the record of a new webhook, and null in a change. */
const options = {
  filter: z.string().refine(isFilter, 'it is not a filter'),
  signatureHeaderPrefix: z.string().refine(isSignaturePrefix, 'it is not a prefix'),
  format: z.enum(webhookFormats),
  timeoutSeconds: z.int().min(1).max(maximumTimeoutSeconds),
  metadata: z.string().refine((text) => parsedMetadata(text) !== null, 'it is not the JSON text of metadata'),
} satisfies Record<keyof WebhookOptions, z.ZodType>;

/** Sealed values by their names, such as `headers/x-api-key`. */
const credentials = z.array(
  z.object({ name: z.string(), from: sealedSecretSchema.nullable(), to: sealedSecretSchema.nullable() }),
);

function nullable<Shape extends z.ZodRawShape>(shape: Shape) {
  const schemas = Object.entries(shape).map(([name, schema]) => [name, z.nullable(schema)]);
  return Object.fromEntries(schemas) as { [Name in keyof Shape]: z.ZodNullable<Shape[Name]> };
}

const schemas: ValueSchemas<WebhookFact> = {
  'postrider.webhook.created': z
    .object({
      ...settings,
      name: settings.name.default(null),
      secret: sealedSecretSchema,
      ...z.object(options).partial().shape,
      eventsFrom: z.array(z.int().nonnegative()),
      eventsFromIds: boundaryIdsSchema.optional(),
      credentials: credentials.optional(),
      actor: actorSchema,
    })
    .describe(
      'A webhook was created. The webhook gets the events at or above `eventsFrom`. ' +
        '`eventsFrom` contains the end offset of each partition of `events`, as read before the ' +
        'record was appended. `eventsFromIds` contains the `ce_id` of the last record below each ' +
        'offset, or null without one. Records of earlier versions have no `eventsFromIds`. ' +
        '`filter` and `metadata` are JSON texts. An option that is not set is missing. `credentials` contains the ' +
        'values that the service never shows, such as those of `headers`, sealed like the secret.',
    ),
  'postrider.webhook.updated': z
    .object({
      changes: changesSchema<ChangeableSettings>({
        ...settings,
        mutedUntil: timeSchema.nullable(),
        ...nullable(options),
      }),
      credentials: credentials.optional(),
      actor: actorSchema,
    })
    .describe(
      'Fields of a webhook were changed. `changes` contains only the changed fields, and `credentials` the changed ' +
        'sealed values before and after; null means that there is none.',
    ),
  'postrider.webhook.secret-rotated': z
    .object({
      secret: sealedSecretSchema,
      previousExpiresAt: timeSchema,
      actor: actorSchema,
    })
    .describe(
      'A webhook has a new signing secret. Until `previousExpiresAt`, deliveries also have a ' +
        'signature of the previous secret.',
    ),
  'postrider.webhook.secret-reencrypted': z
    .object({
      secrets: z.array(changeSchema(sealedSecretSchema)),
      actor: actorSchema,
    })
    .describe(
      'The secrets and credentials of a webhook were encrypted again with the current key. `secrets` contains each ' +
        'of them in its previous and its new encryption.',
    ),
  'postrider.webhook.disabled': z
    .object({
      reason: z.enum(['manual', 'gone', 'failing']),
      epoch: z.int().nonnegative(),
      version: z.int().nonnegative().optional(),
      actor: actorSchema,
    })
    .describe(
      'A webhook was disabled. The webhook gets no further events, and its open deliveries are canceled. ' +
        '`epoch` is the number of earlier disablings. With the reason `gone` or `failing`, `version` is the number of ' +
        'changes of the URL and of enablings before the requests whose outcomes have led to the disabling. A record ' +
        'has no effect if the webhook already has a higher `epoch` or `version`.',
    ),
  'postrider.webhook.enabled': z
    .object({ actor: actorSchema })
    .describe('A disabled webhook was enabled. The webhook gets events again.'),
  'postrider.webhook.deleted': z
    .object({ reason: z.enum(['tenant_deleted']).optional(), actor: actorSchema })
    .describe(
      'A webhook was permanently deleted. With the `reason` `tenant_deleted`, the service has deleted the ' +
        'webhook because its tenant was deleted.',
    ),
};

/** The records of the topic `webhooks`. The record key is the webhook's id. */
export const webhookRecords = createFactCodec<WebhookFact>('webhooks', schemas);
