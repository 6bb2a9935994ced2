import { z } from 'zod';

import { deliveryStatuses } from '../../../shared/domain/deliveries/delivery.js';
import { listOf, pagingParameters } from '../../http/paging.js';
import { boundSchema, eventTypeSchema, modeSchema, timeSchema, webhookIdSchema } from '../../http/schemas.js';
import { must } from '../../http/validation.js';

const maximumTypes = 100;

const dataSchema = z
  .unknown()
  .refine(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    must('a JSON object'),
  )
  .meta({
    type: 'object',
    additionalProperties: true,
    description: 'At most 1,000 levels deep. It comes back as it was sent.',
  });

export const createEventBody = z.strictObject({ type: eventTypeSchema, data: dataSchema });

export const resendBody = z.strictObject({
  webhookId: z
    .string()
    .optional()
    .meta({ description: 'Every delivery of the event whose webhook is active, where it is left out.' }),
});

const deliveryStatusSchema = z.enum(deliveryStatuses, must(`one of ${deliveryStatuses.join(', ')}`));

/** A parameter that may be repeated. */
export const typesFilter = z
  .preprocess(
    (given) => (typeof given === 'string' ? [given] : given),
    z.array(eventTypeSchema).max(maximumTypes, must(`given at most ${String(maximumTypes)} times`)),
  )
  .optional()
  .meta({ description: 'Events of this type, or of one of these where it is repeated.' });

export const listEventsQuery = z.strictObject({
  ...pagingParameters(),
  type: typesFilter,
  createdGte: boundSchema('above').optional().meta({ description: 'Created at this time or later.' }),
  createdGt: boundSchema('below').optional().meta({ description: 'Created later.' }),
  createdLte: boundSchema('below').optional().meta({ description: 'Created at this time or earlier.' }),
  createdLt: boundSchema('above').optional().meta({ description: 'Created earlier.' }),
  webhookId: webhookIdSchema.optional().meta({ description: 'With a delivery to this webhook.' }),
  deliveryStatus: deliveryStatusSchema
    .optional()
    .meta({ description: 'With a delivery in this status; with `webhookId`, the delivery to that webhook.' }),
});

const deliverySchema = z
  .object({
    webhookId: z.string(),
    status: deliveryStatusSchema,
    statusCode: z.int().nullable(),
    deliveredAt: timeSchema.nullable(),
    attemptCount: z.int(),
    nextAttemptAt: timeSchema.nullable(),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
  })
  .meta({ id: 'Delivery', description: 'What became of an event at one webhook.' });

export const eventSchema = z
  .object({
    id: z.string(),
    type: z.string(),
    created: timeSchema,
    data: z.looseObject({}),
    deliveries: z.array(deliverySchema),
    mode: modeSchema,
  })
  .meta({ id: 'Event' });

export const eventListSchema = listOf(eventSchema).meta({ id: 'EventList' });
