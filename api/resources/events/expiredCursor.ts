import type { Clock } from '../../../shared/core/clock.js';
import { identifierTime, isIdentifier } from '../../../shared/domain/core/identifiers.js';
import { mayHaveExpired } from '../../../shared/domain/events/expiry.js';
import type { ListPosition } from '../../http/paging.js';

export interface Expiry {
  /** How old an event is when it is removed, in milliseconds; null where none is. */
  readonly expiryMs: number | null;
  readonly clock: Clock;
}

/**
 * Where an event stood that is not found: whoever walks a list goes on from it though it has expired meanwhile. That it ever
 * was there cannot be told any more; the list itself holds nothing but the caller's own.
 * @returns null where it is too young to have expired: then there never was such an event
 */
export function expiredEventPosition(id: string, { expiryMs, clock }: Expiry): ListPosition | null {
  return isIdentifier('evt', id) && mayHaveExpired(id, expiryMs, clock()) ? positionOf(id) : null;
}

/** The same for an attempt, which goes with its event: a young one may be of an old event that was sent again. */
export function expiredAttemptPosition(id: string, { expiryMs, clock }: Expiry): ListPosition | null {
  const isPast = isIdentifier('att', id) && identifierTime(id) <= clock();
  return isPast && expiryMs !== null ? positionOf(id) : null;
}

function positionOf(id: string): ListPosition {
  return { id, created: identifierTime(id) };
}
