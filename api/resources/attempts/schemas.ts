import { z } from 'zod';

import { listOf, pagingParameters } from '../../http/paging.js';
import { timeSchema, webhookIdSchema } from '../../http/schemas.js';
import { must } from '../../http/validation.js';

const statusSchema = z.enum(['succeeded', 'failed'], must('succeeded or failed'));

export const listEventAttemptsQuery = z.strictObject({
  ...pagingParameters(),
  webhookId: webhookIdSchema.optional().meta({ description: 'Attempts to deliver to this webhook.' }),
});

export const listWebhookAttemptsQuery = z.strictObject({
  ...pagingParameters(),
  status: statusSchema.optional().meta({ description: 'Attempts with this outcome.' }),
});

const attemptSchema = z
  .object({
    id: z.string(),
    eventId: z.string(),
    webhookId: z.string(),
    number: z.int(),
    trigger: z.enum(['first', 'retry', 'resend', 'replay', 'test']),
    status: statusSchema,
    statusCode: z.int().nullable(),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    durationMs: z.number(),
    responseBody: z.string(),
    attemptedAt: timeSchema,
  })
  .meta({ id: 'Attempt', description: 'One request to a webhook.' });

export const attemptListSchema = listOf(attemptSchema).meta({ id: 'AttemptList' });
