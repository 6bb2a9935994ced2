import { z } from 'zod';

import { timeSchema, webhookIdSchema } from '../../http/schemas.js';
import { must } from '../../http/validation.js';
import { bucketSizes } from './statsRange.js';

const momentSchema = z.iso
  .datetime(must('a time such as 2026-11-20T11:02:03.456Z'))
  .transform((text) => new Date(text))
  .optional();

export const deliveryStatsQuery = z.strictObject({
  from: momentSchema.meta({
    description: 'An hour, 24 hours or 30 days before `to` where it is left out, by `bucket`.',
  }),
  to: momentSchema.meta({ description: 'Without this moment itself. Now where it is left out.' }),
  bucket: z
    .enum(bucketSizes, must('minute, hour or day'))
    .default('hour')
    .meta({ description: 'Minutes, hours and days begin in UTC.' }),
  webhookId: webhookIdSchema.optional().meta({ description: 'Figures of one webhook.' }),
});

const bucketSchema = z
  .object({
    start: timeSchema,
    events: z.int(),
    succeeded: z.int(),
    failed: z.int(),
    p50Ms: z.number().nullable(),
    p95Ms: z.number().nullable(),
    p99Ms: z.number().nullable(),
    byStatusCode: z.record(z.string(), z.int()),
  })
  .meta({ id: 'DeliveryStats', description: 'What happened from `start` on, for one bucket.' });

export const deliveryStatsSchema = z
  .object({ data: z.array(bucketSchema) })
  .meta({ id: 'DeliveryStatsList' });
