import { encodeTime } from 'ulid';

import { identifierTime } from '../core/identifiers.js';

/** Clocks of processes differ. An event is removed this much later than its id counts as expired. */
const clockSkewMs = 60_000;
const timeLength = 10;
const randomLength = 16;

/**
 * The lowest id of an event that is not removed yet. The time in the id is the age of the event, whatever its producer.
 * So expiry follows from the id alone, and sweeps read ids in their order.
 */
export function lowestKeptEventId(expiryMs: number, now: Date): string {
  return lowestEventId(new Date(Math.max(0, now.getTime() - expiryMs - clockSkewMs)));
}

/** The lowest possible id of an event from this time on. */
export function lowestEventId(time: Date): string {
  return `evt_${encodeTime(time.getTime(), timeLength)}${'0'.repeat(randomLength)}`;
}

/** Whether the event of this id may have expired. No event expires if `expiryMs` is null. */
export function mayHaveExpired(identifier: string, expiryMs: number | null, now: Date): boolean {
  return expiryMs !== null && identifierTime(identifier).getTime() < now.getTime() - expiryMs;
}
