import type { Mode } from '../../domain/core/fact.js';
import type { DeliveryCounts } from '../../domain/deliveries/deliveryCounts.js';
import type { ModelDocument } from './documents.js';

/** The lowest and the highest offset of the counted events, in the partition with the number of the document. */
export interface CountedOffsets {
  readonly lowest: number;
  readonly highest: number;
}

/** The counts of a minute or an hour. */
export interface StatsPartCounts extends DeliveryCounts {
  /** Only in the series of a tenant: the offsets show which life of the tenant the events belong to. */
  readonly offsets?: CountedOffsets;
}

/**
 * The counts of an hour by minute, or of a day by hour. The counts belong to a series of an account. A document has the
 * counts of records from partitions with one number, so no two processes write the same document. Readers add up the
 * documents of all partition numbers. A webhook that is busy all day creates 25 documents a day for each partition
 * number, and its account 25 more.
 */
export interface StatsDocument extends ModelDocument {
  /** The counts of each minute (0–59) or hour (0–23) with at least one event or attempt. */
  readonly parts: Readonly<Record<string, StatsPartCounts>>;
}

/** The series of statistics that a document belongs to. */
export interface StatsSeries {
  readonly accountId: string;
  readonly mode: Mode;
  readonly name: StatsSeriesName;
}

/**
 * The name of a series:
 * - `all`: the events of an account in one mode, and the attempts of all its webhooks;
 * - the id of a webhook: its attempts, and the events with a first attempt;
 * - `assigned`: the events with a tenant, and the attempts of webhooks with a tenancy. What `all` has in addition belongs
 *   to no tenant, so an account without tenants has no further series;
 * - `tenant:` and a tenant id: the events of the tenant, in all its lives;
 * - `life:` and a life id: the attempts of the webhooks of the life.
 */
export type StatsSeriesName = string;

/** The names of series. No name contains a slash, which separates the parts of a document id. */
export const statsSeries = {
  all: 'all',
  assigned: 'assigned',
  ofTenant: (tenantId: string) => `tenant:${tenantId}`,
  ofLife: (lifeId: string) => `life:${lifeId}`,
} as const;

/** The unit into which a statistics document is divided. */
export type StatsPart = 'minute' | 'hour';

const partMs: Readonly<Record<StatsPart, number>> = { minute: 60_000, hour: 3_600_000 };
const spanMs: Readonly<Record<StatsPart, number>> = { minute: 3_600_000, hour: 86_400_000 };
/** The length of the text that identifies an hour or a day, such as `2026-11-21T11` or `2026-11-21`. */
const timeLength: Readonly<Record<StatsPart, number>> = { minute: 13, hour: 10 };

/** The index of the time among the parts of a document id that is split at slashes. */
const timeIndex = 4;

/**
 * The prefix of the document ids of an hour or a day. The ids of a series sort by time, so that a span of time is a
 * range of ids.
 */
function statsIdPrefix({ accountId, mode, name }: StatsSeries, part: StatsPart, at: Date): string {
  const time = at.toISOString().slice(0, timeLength[part]);
  return `${accountId}/${mode}/${name}/${part}/${time}`;
}

/** The id of the document with the counts of an hour or a day from partitions with one number. */
export function statsDocumentId(series: StatsSeries, part: StatsPart, at: Date, partition: number): string {
  return `${statsIdPrefix(series, part, at)}/${partition}`;
}

/** A span of time, in milliseconds since 1970, which excludes `end`. */
export interface StatsSpan {
  readonly start: number;
  readonly end: number;
}

/** The filter for the documents of a series that overlap a span of time, for all partition numbers. */
export function statsDocumentsWithin(series: StatsSeries, part: StatsPart, { start, end }: StatsSpan) {
  const prefixAt = (time: number) => statsIdPrefix(series, part, new Date(time));
  // In the document id, the partition number follows a slash. In ASCII, the character 0 follows the slash.
  return { _id: { $gte: `${prefixAt(start)}/`, $lt: `${prefixAt(end - 1)}0` } };
}

/** The filter for the documents of all series that begin before a time. The filter reads all document ids. */
export function statsDocumentsBefore(time: Date) {
  // The shorter text sorts first, so the comparison finds each hour or day that began before the time.
  return { $expr: { $lt: [{ $arrayElemAt: [{ $split: ['$_id', '/'] }, timeIndex] }, time.toISOString()] } };
}

/** The counts of a document's minutes or hours, by their start in milliseconds since 1970. */
export function countsOfParts(
  { _id, parts }: StatsDocument,
  part: StatsPart,
): readonly (readonly [number, StatsPartCounts])[] {
  const [time = ''] = _id.split('/').slice(-2);
  const start = Date.parse(part === 'minute' ? `${time}:00:00.000Z` : `${time}T00:00:00.000Z`);
  return Object.entries(parts).map(([number, counts]) => [start + Number(number) * partMs[part], counts]);
}

/** The partition number of the records that a document counts. */
export function partitionOfStats({ _id }: StatsDocument): number {
  return Number(_id.slice(_id.lastIndexOf('/') + 1));
}

/** Divides a span of time into slices. The documents of a slice fit into memory together. */
export function slicesOf({ start, end }: StatsSpan, part: StatsPart): readonly StatsSpan[] {
  const sliceMs = documentsPerSlice * spanMs[part];
  return Array.from({ length: Math.ceil((end - start) / sliceMs) }, (_, index) => ({
    start: start + index * sliceMs,
    end: Math.min(end, start + (index + 1) * sliceMs),
  }));
}

/**
 * The maximum number of documents in a slice, for each partition number. The longest span of the dashboard, 30 days, is
 * one slice.
 */
const documentsPerSlice = 32;

/** The number of the minute or hour that contains a time, within its statistics document. */
export function partNumber(part: StatsPart, at: Date): string {
  return String(Math.floor((at.getTime() % spanMs[part]) / partMs[part]));
}
