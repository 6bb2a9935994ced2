import { z } from 'zod';

import { authenticatedRoute, noBody, type AuthenticatedHandler, type Route } from '../../http/route.js';
import { timeSchema, webhookIdSchema } from '../../http/schemas.js';
import { mustBe } from '../../http/validation.js';
import { bucketSizes } from './statsRange.js';

export interface StatsHandlers {
  readonly deliveries: AuthenticatedHandler<typeof noBody, typeof deliveryStatsQuery>;
}

export function statsRoutes(stats: StatsHandlers): readonly Route[] {
  return [
    authenticatedRoute({
      method: 'GET',
      path: '/v1/stats/deliveries',
      operationId: 'getDeliveryStats',
      tag: 'Events',
      summary: 'Get figures of deliveries',
      description:
        'Whole buckets of time, oldest first, at most 1,500; those in which nothing happened are there too. `events` were accepted in ' +
        'the bucket; with `webhookId`, had their first attempt to it then. `succeeded` and `failed` count the attempts that were begun in ' +
        'it, `byStatusCode` the same by the status of the answer, `none` where none came. The percentiles are of how long they all ' +
        'took, at most 5 % off, and null where there are none. The figures may be a second behind.',
      scope: 'events:read',
      body: noBody,
      query: deliveryStatsQuery,
      successStatus: 200,
      response: deliveryStatsSchema,
      errors: [],
      examples: { response: { data: [deliveryStatsExample] } },
      handle: stats.deliveries,
    }),
  ];
}

/** What the API's description shows. A test checks it against its schema. */
const deliveryStatsExample = {
  start: '2026-11-21T06:00:00.000Z',
  events: 1200,
  succeeded: 1193,
  failed: 9,
  p50Ms: 41.5,
  p95Ms: 98.7,
  p99Ms: 256.8,
  byStatusCode: { '200': 1190, '204': 3, '503': 7, none: 2 },
};

const momentSchema = z.iso
  .datetime(mustBe('a time such as 2026-11-20T11:02:03.456Z'))
  .transform((text) => new Date(text))
  .optional();

export const deliveryStatsQuery = z.strictObject({
  from: momentSchema.meta({
    description: 'An hour, 24 hours or 30 days before `to` where it is left out, by `bucket`.',
  }),
  to: momentSchema.meta({ description: 'Without this moment itself. Now where it is left out.' }),
  bucket: z
    .enum(bucketSizes, mustBe('minute, hour or day'))
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
