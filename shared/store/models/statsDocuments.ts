import type { DeliveryCounts } from '../../domain/deliveries/deliveryCounts.js';
import type { Mode } from '../../domain/core/fact.js';
import type { ModelDocument } from './documents.js';

/**
 * An hour in minutes or a day in hours, of an account and mode or of one of its webhooks, counted from the records in partitions of one
 * number: no two processes write the same document. Readers add the partitions up, and days from their hours.
 *
 * A webhook that is busy all day makes 25 documents a day for each partition number, and its account as many once.
 */
export interface StatsDocument extends ModelDocument {
  /** The counts of each part in which anything happened, by its number: 0–59 or 0–23. */
  readonly parts: Readonly<Record<string, DeliveryCounts>>;
}

/** What documents are of. */
export interface StatsSeries {
  readonly accountId: string;
  readonly mode: Mode;
  /** Null for all of the account in the mode. */
  readonly webhookId: string | null;
}

/** What documents are divided into. */
export type StatsPart = 'minute' | 'hour';

const partMs: Readonly<Record<StatsPart, number>> = { minute: 60_000, hour: 3_600_000 };
const spanMs: Readonly<Record<StatsPart, number>> = { minute: 3_600_000, hour: 86_400_000 };
/** As much of a time as tells an hour or a day from another: `2026-11-21T11` or `2026-11-21`. */
const timeLength: Readonly<Record<StatsPart, number>> = { minute: 13, hour: 10 };

/** Which part of an id, between slashes, is its time. */
const timeIndex = 4;

/** What the ids of the documents of a time begin with. Those of a series sort by time, so that a span of time is a range of ids. */
function statsIdPrefix({ accountId, mode, webhookId }: StatsSeries, part: StatsPart, at: Date): string {
  const time = at.toISOString().slice(0, timeLength[part]);
  return `${accountId}/${mode}/${webhookId ?? 'all'}/${part}/${time}`;
}

/** The id of the document that has the counts of a time from the partitions of one number. */
export function statsDocumentId(series: StatsSeries, part: StatsPart, at: Date, partition: number): string {
  return `${statsIdPrefix(series, part, at)}/${partition}`;
}

/** A span of time, in milliseconds since 1970, without its end. */
export interface StatsSpan {
  readonly start: number;
  readonly end: number;
}

/** What finds all documents of a series that have any of a span of time, of every partition. */
export function statsDocumentsWithin(series: StatsSeries, part: StatsPart, { start, end }: StatsSpan) {
  const prefixAt = (time: number) => statsIdPrefix(series, part, new Date(time));
  // The partition stands behind a slash, and behind that comes 0 in the order of ASCII.
  return { _id: { $gte: `${prefixAt(start)}/`, $lt: `${prefixAt(end - 1)}0` } };
}

/** What finds all documents, of every series, that have any of the time before. Reads all ids. */
export function statsDocumentsBefore(time: Date) {
  // The shorter text comes first: an hour or a day that has begun before the time is found.
  return { $expr: { $lt: [{ $arrayElemAt: [{ $split: ['$_id', '/'] }, timeIndex] }, time.toISOString()] } };
}

/** The counts of a document's parts, by the beginning of each part in milliseconds since 1970. */
export function countsOfParts(
  { _id, parts }: StatsDocument,
  part: StatsPart,
): readonly (readonly [number, DeliveryCounts])[] {
  const [time = ''] = _id.split('/').slice(-2);
  const start = Date.parse(part === 'minute' ? `${time}:00:00.000Z` : `${time}T00:00:00.000Z`);
  return Object.entries(parts).map(([number, counts]) => [start + Number(number) * partMs[part], counts]);
}

/** Cuts a span into spans with so few documents that their contents fit into memory together. */
export function slicesOf({ start, end }: StatsSpan, part: StatsPart): readonly StatsSpan[] {
  const sliceMs = documentsPerSlice * spanMs[part];
  return Array.from({ length: Math.ceil((end - start) / sliceMs) }, (_, index) => ({
    start: start + index * sliceMs,
    end: Math.min(end, start + (index + 1) * sliceMs),
  }));
}

/** Of each partition: 30 days, the most that the dashboard asks for, are one read. */
const documentsPerSlice = 32;

/** The number of the part that has this time, within its document. */
export function partNumber(part: StatsPart, at: Date): string {
  return String(Math.floor((at.getTime() % spanMs[part]) / partMs[part]));
}
