import type { DeliveryCounts } from '../domain/deliveryCounts.js';
import type { Mode } from '../domain/fact.js';
import type { ModelDocument } from './documents.js';

/**
 * An hour in minutes or a day in hours, of an account and mode or of one of its webhooks. Days are added up from their hours.
 *
 * A webhook that is busy all day makes 25 documents a day, together some 300 KiB, and its account as many once.
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

/** The id of the document that has this time. Those of a series sort by time, so that a span of time is a range of ids. */
export function statsDocumentId(
  { accountId, mode, webhookId }: StatsSeries,
  part: StatsPart,
  at: Date,
): string {
  const time = at.toISOString().slice(0, timeLength[part]);
  return `${accountId}/${mode}/${webhookId ?? 'all'}/${part}/${time}`;
}

/** The number of the part that has this time, within its document. */
export function partNumber(part: StatsPart, at: Date): string {
  return String(Math.floor((at.getTime() % spanMs[part]) / partMs[part]));
}
