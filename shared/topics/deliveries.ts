import { z } from 'zod';

import type { DeliveryError, DeliveryFact } from '../domain/delivery.js';
import { createFactCodec, type ValueSchemas } from './factCodec.js';
import { actorSchema, timeSchema } from './schemas.js';

export const triggerSchema = z.enum(['first', 'retry', 'resend', 'replay', 'test']);

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
  'postrider.delivery.requested': z.object({ ...pair, trigger: triggerSchema, actor: actorSchema }),
  'postrider.delivery.attempted': z.object({
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
  }),
  'postrider.delivery.deferred': z.object({ ...pair, nextAttemptAt: timeSchema }),
  'postrider.delivery.canceled': z.object({ ...pair, error: errorSchema }),
};

/** The records of the topic `deliveries`: key is the event's id, so that all outcomes of an event are in order. */
export const deliveryRecords = createFactCodec<DeliveryFact>('deliveries', schemas);
