import type { LogPosition, RetryRecord } from '../../shared/log/records/retry.js';
import type { WorkResult } from '../../shared/log/window/retryingHandler.js';
import type { EventContent } from '../lookups/eventStates.js';

/** One attempt to deliver one event to one webhook. */
export type DeliveryJob = Omit<RetryRecord, 'due'>;

/**
 * What the log contains of a delivery. `retrying` means that an attempt has failed and another one follows. `failed`
 * means that the last attempt has failed. `parked` means that the delivery waits for its webhook. `ended` means that no
 * attempt follows for another reason.
 */
export type RecordedState = 'ended' | 'failed' | 'retrying' | 'parked';

/** Receives the progress of a delivery. */
export interface DeliveryProgress {
  /** Called when the attempt begins. */
  readonly begun: () => void;
  /**
   * Called when the log has acknowledged the outcome or the parking record. Only the first call counts.
   * @param outcome the position of the outcome; missing without one
   */
  readonly recorded: (state: RecordedState, outcome?: LogPosition) => void;
  /**
   * Parks the first attempt of cycle 0 in the record that names the webhooks of the event.
   * @returns the end of that append; null if the append has begun before, so that the attempt needs its own record
   */
  readonly park?: () => Promise<WorkResult> | null;
}

/** The origin of a job: the record that led to it. */
export interface JobOrigin {
  /** Whether the attempt is the first one of its cycle, and neither scheduled nor parked. */
  readonly isFirst: boolean;
  /** Whether the attempt is released from its webhook's backlog. Such a job is not parked again: it stays parked. */
  readonly isRelease?: boolean;
  /** Whether the account has more than its share of a window that other accounts need. */
  readonly isOverShare: boolean;
  /**
   * Reads the content of the event when the attempt begins, so that waiting jobs hold no payload. Returns null if the
   * event has expired.
   * @throws UnavailableError if the content cannot be read now
   */
  readonly content: () => Promise<EventContent | null>;
  readonly progress?: DeliveryProgress;
}

/**
 * A key that identifies one attempt in the whole service. A canceled replay withdraws its attempt, and the next attempt
 * of the delivery has the same cycle and number, possibly for an earlier replay. So each replay's attempt has its own key. `join` creates one string. A
 * template string would be a chain of strings, which takes twice the memory while the key is remembered.
 */
export function attemptKey(job: DeliveryJob): string {
  const { eventId, webhookId, cycle, number, replayId, attemptsMade } = job;
  const attempt = [eventId, webhookId, cycle, number];
  return (replayId === null || attemptsMade > 0 ? attempt : [...attempt, replayId]).join('/');
}

/**
 * Parks a job: the log then contains that the delivery waits for its webhook, and no memory does.
 * @returns `parked` if the log has acknowledged that, `abandoned` if the partition was lost before
 */
export type Park = (job: DeliveryJob, origin: JobOrigin) => Promise<'parked' | 'abandoned'>;

/** The webhooks with a long backlog, as far as this process knows them. */
export interface LongBacklogs {
  /** Whether this process has parked a delivery of the webhook lately, or knows its backlog. */
  readonly isKnown: (webhookId: string) => boolean;
  /** Whether the backlog is so long that new attempts wait behind it. */
  readonly isLong: (webhookId: string) => Promise<boolean>;
}
