import type { DeliveryError, DeliveryErrorCode, WaitReason } from './deliveryFacts.js';
import type { ReplayedDelivery } from './replayedDelivery.js';

export const deliveryStatuses = ['pending', 'retrying', 'delivered', 'failed', 'canceled'] as const;

export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** An attempt that waits for something other than a time. Only the log and the read model contain it. */
export interface ParkedAttempt {
  readonly number: number;
  readonly reason: WaitReason;
}

/** The last attempt of a delivery, over all its cycles. */
export interface LastAttempt {
  /** Null if it is unknown, after a conversion. */
  readonly at: Date | null;
  readonly statusCode: number | null;
  readonly errorCode: DeliveryErrorCode | null;
}

/**
 * The state that a delivery gets back if the replay that requested it is canceled before an attempt. If an earlier replay
 * waits for its attempt in that state, the state contains what precedes the earlier replay.
 */
export type StateBeforeReplay = Pick<
  Delivery,
  | 'status'
  | 'statusCode'
  | 'deliveredAt'
  | 'nextAttemptAt'
  | 'error'
  | 'replayId'
  | 'requestId'
  | 'firstNumber'
  | 'lastNumber'
  | 'before'
>;

export interface Delivery {
  readonly webhookId: string;
  readonly status: DeliveryStatus;
  readonly statusCode: number | null;
  readonly deliveredAt: Date | null;
  /** The number of recorded attempts, over all cycles. */
  readonly attemptCount: number;
  /**
   * The ids of the last recorded attempts, over all cycles, in the order of the log. Missing if no attempt is recorded,
   * and after a conversion.
   */
  readonly attemptIds?: readonly string[];
  readonly nextAttemptAt: Date | null;
  readonly error: DeliveryError | null;
  /**
   * The latest cycle of the delivery. All fields of a delivery except `attemptCount`, `attemptIds` and `replays` belong to
   * the latest cycle.
   */
  readonly cycle: number;
  /** The highest epoch of the webhook in the facts of the delivery's latest cycle. */
  readonly epoch: number;
  /** The replay that requested the delivery's latest cycle. */
  readonly replayId: string | null;
  /** The `ce_id` of the record that requested the cycle; null for the cycle of the event itself. */
  readonly requestId: string | null;
  /** The lowest number of the cycle's recorded attempts; null before the first attempt. */
  readonly firstNumber: number | null;
  /** The highest number of the cycle's recorded attempts; 0 before the first attempt. */
  readonly lastNumber: number;
  /** The replays of the delivery, the newest last; missing for a delivery that was never replayed. */
  readonly replays?: readonly ReplayedDelivery[];
  /** The tenancy of the webhook; missing without one. */
  readonly tenancy?: string;
  /** Missing if no attempt is parked. */
  readonly parked?: ParkedAttempt;
  /** Missing if no attempt is recorded, or if a conversion could not derive it. */
  readonly last?: LastAttempt;
  /**
   * Missing if the cycle was not requested by a replay, or has an attempt. Null if the delivery did not exist before.
   */
  readonly before?: StateBeforeReplay | null;
}

/** Whether a delivery was delivered, failed or canceled, so no further attempt is scheduled. */
export function isFinal(delivery: Delivery): boolean {
  return delivery.status === 'delivered' || delivery.status === 'failed' || delivery.status === 'canceled';
}

/** Whether the delivery waits for something other than a time. */
export function isParked(delivery: Delivery): boolean {
  return delivery.parked !== undefined;
}
