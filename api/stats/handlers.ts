import type { Clock } from '../../shared/clock.js';
import { mergedCounts, nothingCounted, type DeliveryCounts } from '../../shared/domain/deliveryCounts.js';
import { percentile } from '../../shared/domain/durationHistogram.js';
import type { ReadModel } from '../../shared/mongo/readModels.js';
import {
  partNumber,
  statsDocumentId,
  type StatsDocument,
  type StatsPart,
  type StatsSeries,
} from '../../shared/mongo/statsDocuments.js';
import { jsonAnswer } from '../answer.js';
import { completeDocuments } from '../completeAnswer.js';
import { isRefusal } from '../refusal.js';
import type { KeyHandler, noBody } from '../route.js';
import type { deliveryStatsQuery } from './schemas.js';
import { statsRange, type BucketSize, type StatsRange } from './statsRange.js';

export interface StatsHandlers {
  readonly deliveries: KeyHandler<typeof noBody, typeof deliveryStatsQuery>;
}

export interface StatsHandlerDependencies {
  readonly stats: Pick<ReadModel<StatsDocument>, 'findAll'>;
  readonly clock: Clock;
}

export function createStatsHandlers({ stats, clock }: StatsHandlerDependencies): StatsHandlers {
  return {
    deliveries: async ({ caller: { accountId, mode }, query }) => {
      const range = statsRange(query, clock());
      if (isRefusal(range)) {
        return range;
      }
      const { bucket, webhookId = null } = query;
      const series = { accountId, mode, webhookId };
      const found = completeDocuments(await stats.findAll(documentsWithin(series, bucket, range)));
      const documents = new Map(found.map((document) => [document._id, document]));
      const data = startsOf(range).map((start) =>
        bucketOf(start, countsAt(documents, series, { bucket, at: start })),
      );
      return jsonAnswer({ data });
    },
  };
}

/** Days are added up from their hours. */
function partOf(bucket: BucketSize): StatsPart {
  return bucket === 'minute' ? 'minute' : 'hour';
}

function documentsWithin(series: StatsSeries, bucket: BucketSize, { start, end }: StatsRange) {
  const idAt = (time: number) => statsDocumentId(series, partOf(bucket), new Date(time));
  return { _id: { $gte: idAt(start), $lte: idAt(end - 1) } };
}

function startsOf({ start, end, bucketMs }: StatsRange): readonly Date[] {
  return Array.from({ length: (end - start) / bucketMs }, (_, index) => new Date(start + index * bucketMs));
}

function countsAt(
  documents: ReadonlyMap<string, StatsDocument>,
  series: StatsSeries,
  { bucket, at }: { readonly bucket: BucketSize; readonly at: Date },
): DeliveryCounts {
  const part = partOf(bucket);
  const parts = documents.get(statsDocumentId(series, part, at))?.parts ?? {};
  return bucket === 'day'
    ? Object.values(parts).reduce(mergedCounts, nothingCounted)
    : (parts[partNumber(part, at)] ?? nothingCounted);
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
