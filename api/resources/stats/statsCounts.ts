import {
  mergedCounts,
  nothingCounted,
  remainingCounts,
  type DeliveryCounts,
} from '../../../shared/domain/deliveries/deliveryCounts.js';
import type { ReadModel } from '../../../shared/store/models/readModels.js';
import {
  countsOfParts,
  partitionOfStats,
  slicesOf,
  statsDocumentsWithin,
  type StatsDocument,
  type StatsPart,
  type StatsPartCounts,
  type StatsSeries,
  type StatsSpan,
} from '../../../shared/store/models/statsDocuments.js';
import { completeDocuments } from '../../http/completeDocuments.js';
import type { BucketSize, StatsRange } from './statsRange.js';
import type { SelectedSeries, StatsSelection } from './statsSelection.js';

type Stats = Pick<ReadModel<StatsDocument>, 'findAll'>;

/** The time range of a request, and the length of its buckets. */
interface StatsBuckets extends StatsRange {
  readonly bucket: BucketSize;
}

/** The counts of an hour or a minute, by its start in milliseconds since 1970. */
type TimedCounts = readonly [at: number, counts: StatsPartCounts];

/** The size of the stored buckets that are read. The count of a day is the sum of its hours. */
function partOf(bucket: BucketSize): StatsPart {
  return bucket === 'minute' ? 'minute' : 'hour';
}

/** The delivery counts of each bucket by its start, over all partitions and series. */
export async function readCounts(
  stats: Stats,
  { accountId, mode, added, removed }: StatsSelection,
  buckets: StatsBuckets,
): Promise<ReadonlyMap<number, DeliveryCounts>> {
  const read = (selected: SelectedSeries, sums: Map<number, DeliveryCounts>) =>
    addSeries(stats, { series: { accountId, mode, name: selected.name }, selected, buckets }, sums);
  const [sums, without] = [new Map<number, DeliveryCounts>(), new Map<number, DeliveryCounts>()];
  // The part is read before the whole, so that a new event is not in the part alone.
  for (const selected of removed === null ? [] : [removed]) {
    await read(selected, without);
  }
  for (const selected of added) {
    await read(selected, sums);
  }
  return new Map(
    [...sums].map(([start, counts]) => [
      start,
      remainingCounts(counts, without.get(start) ?? nothingCounted),
    ]),
  );
}

interface SeriesRead {
  readonly series: StatsSeries;
  readonly selected: SelectedSeries;
  readonly buckets: StatsBuckets;
}

/** Adds the counts of a series to the sums of its buckets. */
async function addSeries(
  stats: Stats,
  { series, selected: { eventsFrom }, buckets: { bucket, start, end, bucketMs } }: SeriesRead,
  sums: Map<number, DeliveryCounts>,
): Promise<void> {
  const part = partOf(bucket);
  const find = async (span: StatsSpan, size: StatsPart) =>
    completeDocuments(
      await stats.findAll(statsDocumentsWithin(series, size, span), { share: series.accountId }),
    );
  for (const slice of slicesOf({ start, end }, part)) {
    const documents = await find(slice, part);
    const counted =
      eventsFrom === undefined
        ? documents.flatMap((document) => countsOfParts(document, part))
        : await countsInLife({ documents, part, find }, eventsFrom);
    for (const [at, counts] of counted) {
      // The first and the last document may extend beyond the requested time slice.
      if (at >= slice.start && at < slice.end) {
        const bucketStart = Math.floor(at / bucketMs) * bucketMs;
        sums.set(bucketStart, mergedCounts(sums.get(bucketStart) ?? nothingCounted, counts));
      }
    }
  }
}

interface LifeRead {
  readonly documents: readonly StatsDocument[];
  readonly part: StatsPart;
  readonly find: (span: StatsSpan, part: StatsPart) => Promise<readonly StatsDocument[]>;
}

const hourMs = 3_600_000;

/**
 * The counts of events in the life of a tenant. An hour that has events from before the life too is read by minutes, and
 * such a minute is left out. So at most one minute of each partition lacks events.
 */
async function countsInLife(
  { documents, part, find }: LifeRead,
  eventsFrom: readonly number[],
): Promise<readonly TimedCounts[]> {
  const found = documents.map((document) => ({
    document,
    from: eventsFrom[partitionOfStats(document)] ?? 0,
    counts: countsOfParts(document, part),
  }));
  const whole = found.flatMap(({ from, counts }) => counts.filter(([, one]) => beginsInLife(one, from)));
  if (part === 'minute') {
    return whole;
  }
  const divided = found.flatMap(({ document, from, counts }) =>
    counts
      .filter(([, one]) => !beginsInLife(one, from) && endsInLife(one, from))
      .map(([at]) => ({ at, from, partition: partitionOfStats(document) })),
  );
  const minutes: TimedCounts[] = [];
  for (const { at, from, partition } of divided) {
    const ofHour = await find({ start: at, end: at + hourMs }, 'minute');
    const own = ofHour.filter((document) => partitionOfStats(document) === partition);
    minutes.push(
      ...own
        .flatMap((document) => countsOfParts(document, 'minute'))
        .filter(([, one]) => beginsInLife(one, from)),
    );
  }
  return [...whole, ...minutes];
}

function beginsInLife({ offsets }: StatsPartCounts, from: number): boolean {
  return offsets === undefined || offsets.lowest >= from;
}

function endsInLife({ offsets }: StatsPartCounts, from: number): boolean {
  return offsets === undefined || offsets.highest >= from;
}
