import { z } from 'zod';

import type { WebhookFact } from '../../domain/webhooks/webhook.js';
import { createFactCodec, type ValueSchemas } from '../encoding/factCodec.js';
import { actorSchema, changeSchema, sealedSecretSchema, timeSchema } from '../encoding/schemas.js';

const schemas: ValueSchemas<WebhookFact> = {
  'postrider.webhook.created': z
    .object({
      url: z.string(),
      events: z.array(z.string()).min(1),
      description: z.string().nullable(),
      secret: sealedSecretSchema,
      eventsFrom: z.array(z.int().nonnegative()),
      actor: actorSchema,
    })
    .describe(
      'A webhook was created. It gets the events at or above `eventsFrom`: the end offset of each partition of `events`, read before this was appended.',
    ),
  'postrider.webhook.updated': z
    .object({
      changes: z.object({
        url: changeSchema(z.string()).optional(),
        events: changeSchema(z.array(z.string()).min(1)).optional(),
        description: changeSchema(z.string().nullable()).optional(),
      }),
      actor: actorSchema,
    })
    .describe('Fields of a webhook were changed: only those are there.'),
  'postrider.webhook.secret-rotated': z
    .object({
      secret: sealedSecretSchema,
      previousExpiresAt: timeSchema,
      actor: actorSchema,
    })
    .describe(
      'A webhook has a new signing secret. The one before goes on signing too until `previousExpiresAt`.',
    ),
  'postrider.webhook.secret-reencrypted': z
    .object({
      secrets: z.array(changeSchema(sealedSecretSchema)),
      actor: actorSchema,
    })
    .describe('The same secrets, each as it was sealed before and with the key of today.'),
  'postrider.webhook.disabled': z
    .object({
      reason: z.enum(['manual', 'gone', 'failing']),
      epoch: z.int().nonnegative(),
      actor: actorSchema,
    })
    .describe('A webhook gets nothing any more, and what waited for it is canceled.'),
  'postrider.webhook.enabled': z
    .object({ actor: actorSchema })
    .describe('A webhook that was disabled gets events again.'),
  'postrider.webhook.deleted': z.object({ actor: actorSchema }).describe('A webhook is gone for good.'),
};

/** The records of the topic `webhooks`: key is the webhook's id. */
export const webhookRecords = createFactCodec<WebhookFact>('webhooks', schemas);
