import { z } from 'zod';

import { authenticatedRoute, noBody, type AuthenticatedHandler, type Route } from '../../http/route.js';
import { requestTimeSchema, tenantFilter, timeSchema, webhookIdSchema } from '../../http/schemas.js';
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
      operationId: 'retrieveDeliveryStats',
      tag: 'Events',
      summary: 'Get delivery statistics',
      description:
        'Returns statistics in at most 1,500 buckets of time, oldest first, including empty ' +
        'buckets. `events` counts the accepted events. With `webhookId`, `events` counts the ' +
        'events with a first attempt in the bucket. With `tenantId`, `events` counts the events of ' +
        'the tenant, and attempts are those of its webhooks. `succeeded` and `failed` count the attempts ' +
        'that started in the bucket. `byStatusCode` counts the attempts by the status of the ' +
        'response, with `none` for attempts without a response. The percentiles are durations of ' +
        'the attempts with an error of at most 5 %, or null without attempts. The statistics may ' +
        'lag by a second.',
      scope: 'events:read',
      tenants: 'own',
      names: null,
      body: noBody,
      query: deliveryStatsQuery,
      response: deliveryStatsSchema,
      errors: [],
      examples: { response: { data: [deliveryStatsExample] } },
      handle: stats.deliveries,
    }),
  ];
}

/** The example response in the OpenAPI document. A test checks the example against its schema. */
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

const momentSchema = requestTimeSchema()
  .transform((text) => new Date(text))
  .optional();

export const deliveryStatsQuery = z.strictObject({
  from: momentSchema.meta({
    description:
      'The start of the time range. The default is an hour, 24 hours or 30 days before `to`, ' +
      'depending on `bucket`.',
  }),
  to: momentSchema.meta({
    description: 'The exclusive end of the time range. The default is the time of the request.',
  }),
  bucket: z
    .enum(bucketSizes, mustBe('minute, hour or day'))
    .default('hour')
    .meta({ description: 'The length of a bucket. Minutes, hours and days start in UTC.' }),
  webhookId: webhookIdSchema.optional().meta({ description: 'Return only the statistics of this webhook.' }),
  tenantId: tenantFilter.optional().meta({
    description:
      'Return only the statistics of this tenant. `null` selects the events without a tenant, and the attempts of ' +
      'webhooks without a tenant.',
  }),
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
  .meta({ id: 'DeliveryStats', description: 'The statistics of one bucket, which starts at `start`.' });

export const deliveryStatsSchema = z
  .object({ data: z.array(bucketSchema) })
  .meta({ id: 'DeliveryStatsList' });
