import { encodeTime } from 'ulid';

import { identifierTime } from '../core/identifiers.js';

/** Processes disagree about the time: an event is removed so much later than its id is taken for an expired one. */
const clockSkewMs = 60_000;
const timeLength = 10;
const randomLength = 16;

/**
 * The lowest id of an event that is not removed yet. What an event's id says is its age, whoever has made it: so that whether it
 * has expired can be told of the id alone, and ids are looked for in their order.
 */
export function lowestKeptEventId(expiryMs: number, now: Date): string {
  return lowestEventId(new Date(Math.max(0, now.getTime() - expiryMs - clockSkewMs)));
}

/** The lowest id that an event of a time, or of a later one, can have. */
export function lowestEventId(time: Date): string {
  return `evt_${encodeTime(time.getTime(), timeLength)}${'0'.repeat(randomLength)}`;
}

/** Whether what has this id may have expired. Nothing expires where `expiryMs` is null. */
export function mayHaveExpired(identifier: string, expiryMs: number | null, now: Date): boolean {
  return expiryMs !== null && identifierTime(identifier).getTime() < now.getTime() - expiryMs;
}
