import { keyRoute, noBody, type Route } from '../../http/route.js';
import type { StatsHandlers } from './handlers.js';
import { deliveryStatsQuery, deliveryStatsSchema } from './schemas.js';

export function statsRoutes(stats: StatsHandlers): readonly Route[] {
  return [
    keyRoute({
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
