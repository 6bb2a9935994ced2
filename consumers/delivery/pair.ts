import type { AcceptedEvent } from '../../shared/domain/event.js';
import type { Work } from '../../shared/topics/work.js';

/** One event and one webhook that is to get it, and which attempt of theirs it is about. */
export type Pair = Omit<Work, 'due'>;

/** What is sent of an event. */
export type EventContent = Pick<AcceptedEvent, 'id' | 'type' | 'created' | 'data'>;

/** How the pair has come here. */
export interface Arrival {
  /** Whether nothing of its cycle is in the log yet but what began it: then a deferral is a fact of its own. */
  readonly isFirst: boolean;
  /** Whether its account has more than half of a window that others need too. */
  readonly isCrowded: boolean;
  /**
   * Read when the attempt begins, so that what waits holds no payload. Null where the event is gone.
   * @throws UnavailableError where it cannot be read now
   */
  readonly content: () => Promise<EventContent | null>;
}

/** Names one attempt among all of the service. */
export function nameOfAttempt({ eventId, webhookId, cycle, number }: Pair): string {
  return `${eventId}/${webhookId}/${cycle}/${number}`;
}
