import { z } from 'zod';

import { attemptTriggers, type DeliveryError, type DeliveryFact } from '../../domain/deliveries/delivery.js';
import { createFactCodec, type ValueSchemas } from '../encoding/factCodec.js';
import { actorSchema, timeSchema } from '../encoding/schemas.js';

export const triggerSchema = z.enum(attemptTriggers);

const errorSchema = z.object({
  code: z.enum([
    'timeout',
    'connection_refused',
    'connection_reset',
    'dns_error',
    'tls_error',
    'address_not_allowed',
    'redirect_not_followed',
    'http_status',
    'webhook_deleted',
    'webhook_disabled',
    'event_expired',
  ]),
  message: z.string(),
}) satisfies z.ZodType<DeliveryError>;

const pair = {
  webhookId: z.string(),
  cycle: z.int().nonnegative(),
  epoch: z.int().nonnegative(),
  replayId: z.string().nullable(),
};

const schemas: ValueSchemas<DeliveryFact> = {
  'postrider.delivery.requested': z
    .object({ ...pair, trigger: triggerSchema, actor: actorSchema })
    .describe('A resend or a replay begins another cycle of a delivery, which restarts the retry schedule.'),
  'postrider.delivery.attempted': z
    .object({
      ...pair,
      attemptId: z.string(),
      number: z.int().positive(),
      trigger: triggerSchema,
      outcome: z.enum(['succeeded', 'failed']),
      final: z.boolean(),
      statusCode: z.int().nullable(),
      error: errorSchema.nullable(),
      attemptedAt: timeSchema,
      durationMs: z.number().nonnegative(),
      nextAttemptAt: timeSchema.nullable(),
      responseBody: z.string(),
      responseHeaders: z.record(z.string(), z.string()),
    })
    .describe(
      'An attempt and its outcome. If the outcome is not final, `nextAttemptAt` is the time of the ' +
        'next attempt. `responseBody` is the beginning of the response, at most 4 KiB, in base64.',
    ),
  'postrider.delivery.deferred': z
    .object({ ...pair, nextAttemptAt: timeSchema })
    .describe(
      'The first attempt of a cycle waits for a busy webhook. A cycle has at most one record of this type.',
    ),
  'postrider.delivery.canceled': z
    .object({ ...pair, error: errorSchema })
    .describe('A cycle has ended without a further attempt.'),
};

/**
 * The records of the topic `deliveries`. The record key is the event's id, so all outcomes of an event are in order.
 */
export const deliveryRecords = createFactCodec<DeliveryFact>('deliveries', schemas);
