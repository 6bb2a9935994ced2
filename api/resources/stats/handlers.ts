import type { Clock } from '../../../shared/core/clock.js';
import {
  mergedCounts,
  nothingCounted,
  type DeliveryCounts,
} from '../../../shared/domain/deliveries/deliveryCounts.js';
import { percentile } from '../../../shared/domain/deliveries/durationHistogram.js';
import type { ReadModel } from '../../../shared/store/models/readModels.js';
import {
  countsOfParts,
  slicesOf,
  statsDocumentsWithin,
  type StatsDocument,
  type StatsPart,
  type StatsSeries,
} from '../../../shared/store/models/statsDocuments.js';
import { isApiError } from '../../http/apiError.js';
import { completeDocuments } from '../../http/completeDocuments.js';
import { jsonResponse } from '../../http/response.js';
import type { StatsHandlers } from './routes.js';
import { statsRange, type BucketSize, type StatsRange } from './statsRange.js';

export interface StatsHandlerDependencies {
  readonly stats: Pick<ReadModel<StatsDocument>, 'findAll'>;
  readonly clock: Clock;
}

export function createStatsHandlers({ stats, clock }: StatsHandlerDependencies): StatsHandlers {
  return {
    deliveries: async ({ caller: { accountId, mode }, query }) => {
      const range = statsRange(query, clock());
      if (isApiError(range)) {
        return range;
      }
      const { bucket, webhookId = null } = query;
      const counts = await countsOf(stats, { accountId, mode, webhookId }, { ...range, bucket });
      const data = startsOf(range).map((start) =>
        bucketOf(start, counts.get(start.getTime()) ?? nothingCounted),
      );
      return jsonResponse({ data });
    },
  };
}

/** The size of the stored buckets that are read. The count of a day is the sum of its hours. */
function partOf(bucket: BucketSize): StatsPart {
  return bucket === 'minute' ? 'minute' : 'hour';
}

function startsOf({ start, end, bucketMs }: StatsRange): readonly Date[] {
  return Array.from({ length: (end - start) / bucketMs }, (_, index) => new Date(start + index * bucketMs));
}

/** The delivery counts of each bucket by its start, over all partitions. */
async function countsOf(
  stats: StatsHandlerDependencies['stats'],
  series: StatsSeries,
  { bucket, start, end, bucketMs }: StatsRange & { readonly bucket: BucketSize },
): Promise<ReadonlyMap<number, DeliveryCounts>> {
  const part = partOf(bucket);
  const sums = new Map<number, DeliveryCounts>();
  for (const slice of slicesOf({ start, end }, part)) {
    const filter = statsDocumentsWithin(series, part, slice);
    const found = completeDocuments(await stats.findAll(filter, { owner: series.accountId }));
    for (const [at, counts] of found.flatMap((document) => countsOfParts(document, part))) {
      // The first and the last document may extend beyond the requested time slice.
      if (at >= slice.start && at < slice.end) {
        const bucketStart = Math.floor(at / bucketMs) * bucketMs;
        sums.set(bucketStart, mergedCounts(sums.get(bucketStart) ?? nothingCounted, counts));
      }
    }
  }
  return sums;
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
