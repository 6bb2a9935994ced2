import { z } from 'zod';

import type { RecordContext } from '../../domain/core/fact.js';
import {
  attemptTriggers,
  deliveryErrorCodes,
  waitReasons,
  type DeliveryError,
  type DeliveryFact,
  type EventMatched,
} from '../../domain/deliveries/deliveryFacts.js';
import { resumeHeader } from '../encoding/cloudEvent.js';
import { createFactCodec, type FactCodec, type ValueSchemas } from '../encoding/factCodec.js';
import type { OutgoingRecord } from '../encoding/record.js';
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

const waitsSchema = z.enum(waitReasons).describe('Why the delivery waits: its webhook is `busy`');

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
          tenancy: z
            .string()
            .optional()
            .describe('The life of the tenant that the webhook belongs to, or `*`; missing without a tenant'),
        }),
      ),
    })
    .describe(
      'All webhooks that match an event. The record is appended if a delivery of the event takes more than half a second. A delivery with `waits` is parked: it waits for something other than a time, and no retry record exists.',
    ),
  'postrider.delivery.requested': z
    .object({ ...pair, trigger: triggerSchema, actor: actorSchema })
    .describe('A resend or a replay begins another cycle of a delivery, which restarts the retry schedule.'),
  'postrider.delivery.attempted': z
    .object({
      ...pair,
      webhookVersion: z.int().nonnegative().optional(),
      attemptId: z.string(),
      number: z
        .int()
        .positive()
        .describe(
          'The number that the process gave the attempt when it began. Attempts of overlapping cycles may have the same number. The API numbers the attempts of a delivery in the order of their first records.',
        ),
      trigger: triggerSchema,
      outcome: z.enum(['succeeded', 'failed']),
      final: z.boolean(),
      statusCode: z.int().nullable(),
      error: errorSchema.nullable(),
      attemptedAt: timeSchema,
      durationMs: z.number().nonnegative(),
      nextAttemptAt: timeSchema.nullable(),
      responseBody: z.string(),
      responseTruncated: z
        .boolean()
        .optional()
        .describe('`responseBody` is not the whole body: the body was longer, cut off or late'),
      requests: z
        .int()
        .positive()
        .optional()
        .describe(
          'How often the request was sent: 2 if its reused connection was lost before the first byte of a response; missing otherwise',
        ),
      responseHeaders: z.record(z.string(), z.string()),
      url: z.string().optional(),
      requestHeaders: z.record(z.string(), z.string()).optional(),
      eventType: z.string().optional(),
    })
    .describe(
      'An attempt and its outcome. If it is not final, `nextAttemptAt` is the time of the next attempt. `responseBody` is the beginning of the response, at most 4 KiB, in base64. In `requestHeaders`, signatures are masked. `webhookVersion` is the number of changes of the webhook’s URL and credentials and of its enablings before the request was sent; records of earlier versions of the service do not have it.',
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
    .describe('A retry is parked: it is due, and waits for something other than a time.'),
  'postrider.delivery.canceled': z
    .object({ ...pair, error: errorSchema })
    .describe(
      'A cycle has ended without a further attempt. If the error is `replay_canceled`, a delivery with an earlier ' +
        'cycle gets the status back that it had before the replay requested it.',
    ),
};

type AnyDeliveryFact = DeliveryFact | EventMatched;

const codec = createFactCodec<AnyDeliveryFact>('deliveries', schemas);

export interface DeliveryRecords extends Omit<FactCodec<AnyDeliveryFact>, 'encode'> {
  /** @param partition the home partition of the event: the number of the partition of `events` that contains it */
  encode: (fact: AnyDeliveryFact, context: RecordContext, partition: number) => OutgoingRecord;
}

/**
 * The records of the topic `deliveries`. The record key is the event's id. All records about an event are in the event's
 * home partition, so they are in order.
 */
export const deliveryRecords: DeliveryRecords = {
  ...codec,
  encode: (fact, context, partition) => {
    const { topic, key, value, headers } = codec.encode(fact, context);
    const resume = leavesWork(fact) ? { ...headers, [resumeHeader]: '1' } : headers;
    return { topic, key, partition, value, headers: resume };
  },
};

/**
 * Whether the delivery process that owns the record's partition has work after the record. That is a parked delivery to
 * release, or the next attempt of a delivery. The next attempt follows a failed attempt or the withdrawal of a replay.
 * Its retry record may be missing, because the process may die between the two appends.
 */
function leavesWork(fact: AnyDeliveryFact): boolean {
  switch (fact.type) {
    case 'postrider.delivery.attempted':
      return !fact.value.final && fact.value.nextAttemptAt !== null;
    case 'postrider.delivery.canceled':
      return isWithdrawal(fact);
    default:
      return isParking(fact);
  }
}

/** Whether a fact parks a delivery. */
export function isParking(fact: AnyDeliveryFact): fact is ParkingFact {
  switch (fact.type) {
    case 'postrider.delivery.matched':
      return fact.value.webhooks.some(({ waits }) => waits !== null);
    case 'postrider.delivery.deferred':
      return fact.value.waits !== undefined;
    default:
      return fact.type === 'postrider.delivery.retry-deferred';
  }
}

/** A fact that may park deliveries. */
export type ParkingFact = Extract<
  AnyDeliveryFact,
  {
    type: 'postrider.delivery.matched' | 'postrider.delivery.deferred' | 'postrider.delivery.retry-deferred';
  }
>;

/**
 * Whether a fact withdraws what a canceled replay has requested. The delivery may then be open again, and no other
 * record leads to its next attempt.
 */
export function isWithdrawal(
  fact: AnyDeliveryFact,
): fact is Extract<DeliveryFact, { type: 'postrider.delivery.canceled' }> {
  return fact.type === 'postrider.delivery.canceled' && fact.value.error.code === 'replay_canceled';
}
