import type { Actor, RecordContext } from '../core/fact.js';
import { withReplay, type ReplayedDelivery, type ReplayOutcome } from './replayedDelivery.js';

/** The reason why an attempt failed, or why a delivery ended without an attempt. */
export type DeliveryErrorCode =
  | 'timeout'
  | 'connection_refused'
  | 'connection_reset'
  | 'dns_error'
  | 'tls_error'
  | 'address_not_allowed'
  | 'redirect_not_followed'
  | 'http_status'
  | 'webhook_deleted'
  | 'webhook_disabled'
  | 'event_expired';

export interface DeliveryError {
  readonly code: DeliveryErrorCode;
  readonly message: string;
}

export const attemptTriggers = ['first', 'retry', 'resend', 'replay', 'test'] as const;

export type AttemptTrigger = (typeof attemptTriggers)[number];

/** The fields that every record of a delivery has. */
interface DeliveryReference {
  readonly webhookId: string;
  /** The number of the cycle. The event starts cycle 0, and each resend or replay starts another cycle. */
  readonly cycle: number;
  /** The webhook's epoch when the record was decided. */
  readonly epoch: number;
  readonly replayId: string | null;
}

export interface DeliveryAttempted extends DeliveryReference {
  readonly attemptId: string;
  /** The number of the attempt over all cycles of the delivery, from 1. */
  readonly number: number;
  readonly trigger: AttemptTrigger;
  readonly outcome: 'succeeded' | 'failed';
  /** Whether the attempt is the last attempt of its cycle. */
  readonly final: boolean;
  readonly statusCode: number | null;
  readonly error: DeliveryError | null;
  readonly attemptedAt: Date;
  readonly durationMs: number;
  readonly nextAttemptAt: Date | null;
  /** The first 4 KiB of the response body, in base64. */
  readonly responseBody: string;
  readonly responseHeaders: Readonly<Record<string, string>>;
}

export type DeliveryFact =
  | {
      readonly type: 'postrider.delivery.requested';
      readonly value: DeliveryReference & { readonly trigger: AttemptTrigger; readonly actor: Actor };
    }
  | { readonly type: 'postrider.delivery.attempted'; readonly value: DeliveryAttempted }
  | {
      readonly type: 'postrider.delivery.deferred';
      readonly value: DeliveryReference & { readonly nextAttemptAt: Date };
    }
  | {
      readonly type: 'postrider.delivery.canceled';
      readonly value: DeliveryReference & { readonly error: DeliveryError };
    };

export const deliveryStatuses = ['pending', 'retrying', 'delivered', 'failed', 'canceled'] as const;

export type DeliveryStatus = (typeof deliveryStatuses)[number];

export interface Delivery {
  readonly webhookId: string;
  readonly status: DeliveryStatus;
  readonly statusCode: number | null;
  readonly deliveredAt: Date | null;
  readonly attemptCount: number;
  readonly nextAttemptAt: Date | null;
  readonly error: DeliveryError | null;
  /**
   * The latest cycle of the delivery. All fields of a delivery except `attemptCount` and `replays` belong to the latest
   * cycle.
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
}

/** Whether a delivery was delivered, failed or canceled, so no further attempt is scheduled. */
export function isFinal(delivery: Delivery): boolean {
  return delivery.status === 'delivered' || delivery.status === 'failed' || delivery.status === 'canceled';
}

/**
 * A delivery after another fact. A fact that was folded before changes nothing. A fact of an older cycle changes only
 * the number of attempts. Rules for facts of one cycle:
 * - The first deferral of a cycle schedules its first attempt.
 * - A failed attempt is new if its number is higher than the numbers of the cycle's recorded attempts.
 * - The first successful attempt ends the cycle permanently.
 * - Only a successful attempt changes the status of a `failed` or `canceled` delivery.
 * ```
 *            deferred              attempted (failed, more scheduled)
 *  (none) ─────────────► pending ───────────────► retrying ◄─┐
 *     │                   │  ▲                     │   └─────┘
 *     │   attempted       │  │ requested           │ attempted (failed, final) ───► failed
 *     ├───────────────────┤  │ (another cycle,     ├ attempted (succeeded) ───────► delivered
 *     │                   │  │  from any state)    └ canceled ────────────────────► canceled
 *     └── canceled ───────┴─ any final state
 * ```
 */
export function evolveDelivery(
  state: Delivery | null,
  fact: DeliveryFact & { readonly context: RecordContext },
): Delivery {
  const delivery = evolveCycles(state, fact);
  const { replays = [], cycle } = delivery;
  const { replayId } = fact.value;
  return replayId === null && replays.length === 0
    ? delivery
    : { ...delivery, replays: withReplay(replays, replayId, { cycle, outcome: outcomeOf(delivery) }) };
}

/** The outcome of a replayed delivery, by the status of the delivery. */
function outcomeOf({ status }: Delivery): ReplayOutcome {
  switch (status) {
    case 'pending':
    case 'retrying':
    case 'failed':
      return status;
    case 'delivered':
      return 'done';
    case 'canceled':
      return 'failed';
    default: {
      const never: never = status;
      return never;
    }
  }
}

function evolveCycles(
  state: Delivery | null,
  fact: DeliveryFact & { readonly context: RecordContext },
): Delivery {
  const current = state ?? unattempted(fact.value);
  if (fact.value.cycle < current.cycle) {
    return fact.type === 'postrider.delivery.attempted' ? counted(current, fact.value.number) : current;
  }
  const delivery = fact.value.cycle > current.cycle ? nextCycle(current, fact.value) : current;
  return evolveCycle({ ...delivery, epoch: Math.max(delivery.epoch, fact.value.epoch) }, fact);
}

/** A delivery after another fact of the delivery's latest cycle. */
function evolveCycle(delivery: Delivery, fact: DeliveryFact & { readonly context: RecordContext }): Delivery {
  switch (fact.type) {
    case 'postrider.delivery.requested':
      return { ...delivery, requestId: delivery.requestId ?? fact.context.id };
    case 'postrider.delivery.deferred':
      return delivery.status === 'pending' && delivery.nextAttemptAt === null
        ? { ...delivery, nextAttemptAt: fact.value.nextAttemptAt }
        : delivery;
    case 'postrider.delivery.attempted':
      return attempted(delivery, fact.value);
    case 'postrider.delivery.canceled':
      return isFinal(delivery)
        ? delivery
        : { ...delivery, status: 'canceled', nextAttemptAt: null, error: fact.value.error };
    default: {
      const never: never = fact;
      return never;
    }
  }
}

function unattempted({ webhookId, cycle, epoch, replayId }: DeliveryReference): Delivery {
  return {
    webhookId,
    status: 'pending',
    statusCode: null,
    deliveredAt: null,
    attemptCount: 0,
    nextAttemptAt: null,
    error: null,
    cycle,
    epoch,
    replayId,
    requestId: null,
    firstNumber: null,
    lastNumber: 0,
  };
}

function nextCycle({ attemptCount, replays }: Delivery, pair: DeliveryReference): Delivery {
  return { ...unattempted(pair), attemptCount, ...(replays !== undefined && { replays }) };
}

/**
 * The delivery with the number of its attempts. The highest attempt number is the count, so a duplicate does not count.
 */
function counted(delivery: Delivery, number: number): Delivery {
  return number > delivery.attemptCount ? { ...delivery, attemptCount: number } : delivery;
}

/** The delivery after an attempt of its latest cycle. */
function countedInCycle(delivery: Delivery, number: number): Delivery {
  return {
    ...counted(delivery, number),
    firstNumber: Math.min(delivery.firstNumber ?? number, number),
    lastNumber: Math.max(delivery.lastNumber, number),
  };
}

function attempted(delivery: Delivery, attempt: DeliveryAttempted): Delivery {
  const isStale = attempt.number <= delivery.lastNumber;
  const next = countedInCycle(delivery, attempt.number);
  if (next.status === 'delivered') {
    return next;
  }
  if (attempt.outcome === 'succeeded') {
    return delivered(next, attempt);
  }
  return isStale || isFinal(next) ? next : failedAttempt(next, attempt);
}

function delivered(delivery: Delivery, attempt: DeliveryAttempted): Delivery {
  return {
    ...delivery,
    status: 'delivered',
    statusCode: attempt.statusCode,
    deliveredAt: new Date(attempt.attemptedAt.getTime() + attempt.durationMs),
    nextAttemptAt: null,
    error: null,
  };
}

function failedAttempt(delivery: Delivery, attempt: DeliveryAttempted): Delivery {
  return {
    ...delivery,
    status: attempt.final ? 'failed' : 'retrying',
    statusCode: attempt.statusCode,
    deliveredAt: null,
    nextAttemptAt: attempt.nextAttemptAt,
    error: attempt.error,
  };
}
