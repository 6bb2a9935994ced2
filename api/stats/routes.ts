import { keyRoute, noBody, type Route } from '../route.js';
import { deliveryStatsExample } from './examples.js';
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
