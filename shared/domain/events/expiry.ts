import { encodeTime } from 'ulid';

import { identifierTime } from '../core/identifiers.js';

/** The delay between the expiry of an event and its removal, because the clocks of processes differ. */
const clockSkewMs = 60_000;
const timeLength = 10;
const randomLength = 16;

/**
 * The lowest id of an event that is not removed yet. The creation time in the event's id decides when the event
 * expires. So the process that removes expired events reads them in the order of their ids.
 */
export function lowestKeptEventId(expiryMs: number, now: Date): string {
  return lowestEventId(new Date(Math.max(0, now.getTime() - expiryMs - clockSkewMs)));
}

/** The lowest possible id of an event that was created at a given time. */
export function lowestEventId(time: Date): string {
  return `evt_${encodeTime(time.getTime(), timeLength)}${'0'.repeat(randomLength)}`;
}

/** Whether the event with the given id may have expired. No event expires if `expiryMs` is null. */
export function mayHaveExpired(identifier: string, expiryMs: number | null, now: Date): boolean {
  return expiryMs !== null && identifierTime(identifier).getTime() < now.getTime() - expiryMs;
}
