import type { Mode } from '../../domain/core/fact.js';
import type { DeliveryCounts } from '../../domain/deliveries/deliveryCounts.js';
import type { ModelDocument } from './documents.js';

/**
 * The counts of an hour in minutes or a day in hours. They belong to an account and mode or to one of its webhooks.
 * They come from the records in partitions of one number, so no two processes write the same document. Readers add up
 * the partitions, and the hours of a day.
 * A webhook that is busy all day creates 25 documents a day for each partition number. So does its account.
 */
export interface StatsDocument extends ModelDocument {
  /** The counts of each part with any occurrence, by its number: 0–59 or 0–23. */
  readonly parts: Readonly<Record<string, DeliveryCounts>>;
}

/** The series that documents belong to. */
export interface StatsSeries {
  readonly accountId: string;
  readonly mode: Mode;
  /** Null for the whole account in the mode. */
  readonly webhookId: string | null;
}

/** The unit into which documents are divided. */
export type StatsPart = 'minute' | 'hour';

const partMs: Readonly<Record<StatsPart, number>> = { minute: 60_000, hour: 3_600_000 };
const spanMs: Readonly<Record<StatsPart, number>> = { minute: 3_600_000, hour: 86_400_000 };
/** The length of a time that identifies an hour or a day: `2026-11-21T11` or `2026-11-21`. */
const timeLength: Readonly<Record<StatsPart, number>> = { minute: 13, hour: 10 };

/** The index of the time in an id that is split at slashes. */
const timeIndex = 4;

/** The prefix of the ids of a time. The ids of a series sort by time, so that a span of time is a range of ids. */
function statsIdPrefix({ accountId, mode, webhookId }: StatsSeries, part: StatsPart, at: Date): string {
  const time = at.toISOString().slice(0, timeLength[part]);
  return `${accountId}/${mode}/${webhookId ?? 'all'}/${part}/${time}`;
}

/** The id of the document with the counts of a time from partitions of one number. */
export function statsDocumentId(series: StatsSeries, part: StatsPart, at: Date, partition: number): string {
  return `${statsIdPrefix(series, part, at)}/${partition}`;
}

/** A span of time, in milliseconds since 1970, without its end. */
export interface StatsSpan {
  readonly start: number;
  readonly end: number;
}

/** The filter for all documents of a series that overlap a span of time, of every partition. */
export function statsDocumentsWithin(series: StatsSeries, part: StatsPart, { start, end }: StatsSpan) {
  const prefixAt = (time: number) => statsIdPrefix(series, part, new Date(time));
  // The partition follows a slash. In ASCII, 0 follows the slash.
  return { _id: { $gte: `${prefixAt(start)}/`, $lt: `${prefixAt(end - 1)}0` } };
}

/** The filter for all documents, of every series, that overlap the time before. It reads all ids. */
export function statsDocumentsBefore(time: Date) {
  // The shorter text sorts first, so it finds an hour or a day that began before the time.
  return { $expr: { $lt: [{ $arrayElemAt: [{ $split: ['$_id', '/'] }, timeIndex] }, time.toISOString()] } };
}

/** The counts of a document's parts, by the start of each part in milliseconds since 1970. */
export function countsOfParts(
  { _id, parts }: StatsDocument,
  part: StatsPart,
): readonly (readonly [number, DeliveryCounts])[] {
  const [time = ''] = _id.split('/').slice(-2);
  const start = Date.parse(part === 'minute' ? `${time}:00:00.000Z` : `${time}T00:00:00.000Z`);
  return Object.entries(parts).map(([number, counts]) => [start + Number(number) * partMs[part], counts]);
}

/** Cuts a span into spans with so few documents that they fit into memory together. */
export function slicesOf({ start, end }: StatsSpan, part: StatsPart): readonly StatsSpan[] {
  const sliceMs = documentsPerSlice * spanMs[part];
  return Array.from({ length: Math.ceil((end - start) / sliceMs) }, (_, index) => ({
    start: start + index * sliceMs,
    end: Math.min(end, start + (index + 1) * sliceMs),
  }));
}

/** Per partition. The most that the dashboard requests, 30 days, is one read. */
const documentsPerSlice = 32;

/** The number of the part that contains this time, within its document. */
export function partNumber(part: StatsPart, at: Date): string {
  return String(Math.floor((at.getTime() % spanMs[part]) / partMs[part]));
}
