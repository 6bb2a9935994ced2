import { z } from 'zod';

import {
  attemptTriggers,
  deliveryErrorCodes,
  waitReasons,
  type DeliveryError,
  type DeliveryFact,
  type EventMatched,
} from '../../domain/deliveries/deliveryFacts.js';
import { createFactCodec, type ValueSchemas } from '../encoding/factCodec.js';
import { actorSchema, timeSchema } from '../encoding/schemas.js';

export const triggerSchema = z.enum(attemptTriggers);

const errorSchema = z.object({
  code: z.enum(deliveryErrorCodes),
  message: z.string(),
}) satisfies z.ZodType<DeliveryError>;

const pair = {
  webhookId: z.string(),
  cycle: z.int().nonnegative(),
  epoch: z.int().nonnegative(),
  replayId: z.string().nullable(),
};

const waitsSchema = z
  .enum(waitReasons)
  .describe(
    'Why the delivery waits: `busy` is its webhook, `rate` is the rate of its webhook, `order` is an earlier event of its ordering key',
  );

const eventReference = {
  event: z
    .object({ offset: z.int().nonnegative() })
    .describe('The position of the event: the partition of `events` has the number of this partition'),
};

const schemas: ValueSchemas<DeliveryFact | EventMatched> = {
  'postrider.delivery.matched': z
    .object({
      ...eventReference,
      webhooks: z.array(
        z.object({
          webhookId: z.string(),
          epoch: z.int().nonnegative(),
          waits: waitsSchema.nullable(),
        }),
      ),
    })
    .describe(
      'All webhooks that match an event. The record is appended if a delivery of the event takes more than half a second. A delivery with `waits` is parked: it waits for something other than a time, and no retry record exists. This version reads the record, and does not append it.',
    ),
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
      url: z.string().optional(),
      requestHeaders: z.record(z.string(), z.string()).optional(),
      eventType: z.string().optional(),
    })
    .describe(
      'An attempt and its outcome. If it is not final, `nextAttemptAt` is the time of the next attempt. `responseBody` is the beginning of the response, at most 4 KiB, in base64. In `requestHeaders`, signatures are masked.',
    ),
  'postrider.delivery.deferred': z
    .object({
      ...pair,
      nextAttemptAt: timeSchema,
      waits: waitsSchema.optional(),
      number: z.int().positive().optional(),
      event: eventReference.event.optional(),
    })
    .describe(
      'The first attempt of a cycle is parked: it waits for something other than a time. A cycle has at most one such record. Without `waits`, the record is of an earlier version: the attempt waits until `nextAttemptAt`.',
    ),
  'postrider.delivery.retry-deferred': z
    .object({ ...pair, ...eventReference, number: z.int().positive(), waits: waitsSchema })
    .describe(
      'A retry is parked: it is due, and waits for something other than a time. This version reads the record, and does not append it.',
    ),
  'postrider.delivery.canceled': z
    .object({ ...pair, error: errorSchema })
    .describe('A cycle has ended without a further attempt.'),
};

/**
 * The records of the topic `deliveries`. The record key is the event's id, so all outcomes of an event are in order.
 */
export const deliveryRecords = createFactCodec<DeliveryFact | EventMatched>('deliveries', schemas);
