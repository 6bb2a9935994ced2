import type { RetryRecord } from '../../shared/log/records/retry.js';
import type { EventContent } from '../lookups/eventStates.js';

/** One attempt to deliver one event to one webhook. */
export type DeliveryJob = Omit<RetryRecord, 'due'>;

/** The origin of a job: the record that led to it. */
export interface JobOrigin {
  /**
   * Whether the log contains only the record that started the job's cycle. The deferral of such a first attempt is a
   * separate fact in the log.
   */
  readonly isFirst: boolean;
  /** Whether the account has more than its share of a window that other accounts need. */
  readonly isOverShare: boolean;
  /**
   * Reads the content of the event when the attempt begins, so that waiting jobs hold no payload. Returns null if the
   * event has expired.
   * @throws UnavailableError if the content cannot be read now
   */
  readonly content: () => Promise<EventContent | null>;
}

/**
 * A key that identifies one attempt in the whole service. `join` creates one string. A template string would be a chain
 * of strings, which takes twice the memory while the key is remembered.
 */
export function attemptKey({ eventId, webhookId, cycle, number }: DeliveryJob): string {
  return [eventId, webhookId, cycle, number].join('/');
}
