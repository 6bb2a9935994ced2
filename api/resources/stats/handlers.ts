import type { Clock } from '../../../shared/core/clock.js';
import {
  nothingCounted,
  type DeliveryCounts,
  percentile,
} from '../../../shared/domain/deliveries/deliveryCounts.js';
import type { ReadModel } from '../../../shared/store/models/readModels.js';
import type { StatsDocument } from '../../../shared/store/models/statsDocuments.js';
import { isApiError } from '../../http/apiError.js';
import { requestedTenant } from '../../http/ownership.js';
import { jsonResponse } from '../../http/response.js';
import type { StatsHandlers } from './routes.js';
import { readCounts } from './statsCounts.js';
import { statsRange, type StatsRange } from './statsRange.js';
import { createSelectStats, type SelectStatsDependencies } from './statsSelection.js';

export interface StatsHandlerDependencies extends SelectStatsDependencies {
  readonly stats: Pick<ReadModel<StatsDocument>, 'findAll'>;
  readonly clock: Clock;
}

export function createStatsHandlers(dependencies: StatsHandlerDependencies): StatsHandlers {
  const { stats, clock } = dependencies;
  const select = createSelectStats(dependencies);
  return {
    deliveries: async ({ caller, query }) => {
      const requested = requestedTenant(caller, query.tenantId);
      if (isApiError(requested)) {
        return requested;
      }
      const range = statsRange(query, clock());
      if (isApiError(range)) {
        return range;
      }
      const { bucket, webhookId } = query;
      const { tenantId } = requested;
      const selection = await select({ caller, tenantId, webhookId, start: range.start });
      const counts = await readCounts(stats, selection, { ...range, bucket });
      const data = startsOf(range).map((start) =>
        bucketOf(start, counts.get(start.getTime()) ?? nothingCounted),
      );
      return jsonResponse({ data });
    },
  };
}

function startsOf({ start, end, bucketMs }: StatsRange): readonly Date[] {
  return Array.from({ length: (end - start) / bucketMs }, (_, index) => new Date(start + index * bucketMs));
}

function bucketOf(start: Date, { events, succeeded, failed, statusCodes, durations }: DeliveryCounts) {
  return {
    start: start.toISOString(),
    events,
    succeeded,
    failed,
    p50Ms: percentile(durations, 0.5),
    p95Ms: percentile(durations, 0.95),
    p99Ms: percentile(durations, 0.99),
    byStatusCode: statusCodes,
  };
}
