import type { RetryRecord } from '../../shared/log/records/retry.js';
import type { EventContent } from '../lookups/eventStates.js';

/** One event and one webhook that is to get it, and which attempt of theirs it is about. */
export type DeliveryJob = Omit<RetryRecord, 'due'>;

/** How the pair has come here. */
export interface JobOrigin {
  /** Whether nothing of its cycle is in the log yet but what began it: then a deferral is a fact of its own. */
  readonly isFirst: boolean;
  /** Whether its account has more than half of a window that others need too. */
  readonly isOverShare: boolean;
  /**
   * Read when the attempt begins, so that what waits holds no payload. Null where the event is gone.
   * @throws UnavailableError where it cannot be read now
   */
  readonly content: () => Promise<EventContent | null>;
}

/** Names one attempt among all of the service. */
export function attemptKey({ eventId, webhookId, cycle, number }: DeliveryJob): string {
  return `${eventId}/${webhookId}/${cycle}/${number}`;
}
