import type { Clock } from '../../../shared/core/clock.js';
import { identifierTime, isIdentifier } from '../../../shared/domain/core/identifiers.js';
import { mayHaveExpired } from '../../../shared/domain/events/expiry.js';
import type { ListPosition } from '../../http/paging.js';

export interface Expiry {
  /** The age at which an event is removed, in milliseconds, or null if events are never removed. */
  readonly expiryMs: number | null;
  readonly clock: Clock;
}

/**
 * The list position of an expired event, so that a client can continue a list from that position. The API cannot check
 * any more whether the event existed. The list contains only events of the caller.
 * @returns null if the event is too young to have expired, and therefore never existed
 */
export function expiredEventPosition(id: string, { expiryMs, clock }: Expiry): ListPosition | null {
  return isIdentifier('evt', id) && mayHaveExpired(id, expiryMs, clock()) ? positionOf(id) : null;
}

/**
 * The list position of an expired attempt. An attempt expires with its event, and is younger than the event after a
 * resend.
 */
export function expiredAttemptPosition(id: string, { expiryMs, clock }: Expiry): ListPosition | null {
  const isPast = isIdentifier('att', id) && identifierTime(id) <= clock();
  return isPast && expiryMs !== null ? positionOf(id) : null;
}

function positionOf(id: string): ListPosition {
  return { id, created: identifierTime(id) };
}
