import type { Actor, RecordContext } from '../core/fact.js';
import { withReplay, type ReplayedDelivery, type ReplayOutcome } from './replayedDelivery.js';

/** The reason why an attempt failed, or why a delivery ended without one. */
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

/** The common fields of all records of a delivery. */
interface DeliveryReference {
  readonly webhookId: string;
  /** 0 for the event itself. Each resend or replay starts another cycle. */
  readonly cycle: number;
  /** The webhook's epoch at the time of the decision. */
  readonly epoch: number;
  readonly replayId: string | null;
}

export interface DeliveryAttempted extends DeliveryReference {
  readonly attemptId: string;
  /** The number of the attempt over all cycles of the delivery, from 1. */
  readonly number: number;
  readonly trigger: AttemptTrigger;
  readonly outcome: 'succeeded' | 'failed';
  /** Whether no further attempt of this cycle follows. */
  readonly final: boolean;
  readonly statusCode: number | null;
  readonly error: DeliveryError | null;
  readonly attemptedAt: Date;
  readonly durationMs: number;
  readonly nextAttemptAt: Date | null;
  /** Base64 of the first 4 KiB. */
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
  /** The latest cycle of any fact. All fields except `attemptCount` belong to this cycle alone. */
  readonly cycle: number;
  /** The highest epoch of the webhook in the cycle's facts. */
  readonly epoch: number;
  /** The replay that requested the cycle. */
  readonly replayId: string | null;
  /** The `ce_id` of the request that started the cycle; null for a cycle without a request. */
  readonly requestId: string | null;
  /** The lowest number of the cycle's recorded attempts; null if none is recorded. */
  readonly firstNumber: number | null;
  /** The highest number of the cycle's recorded attempts; 0 if none is recorded. */
  readonly lastNumber: number;
  /** The replays of the delivery, the newest last. Missing if there were none. */
  readonly replays?: readonly ReplayedDelivery[];
}

/** Whether no further attempt is scheduled for a delivery in this state. */
export function isFinal(delivery: Delivery): boolean {
  return delivery.status === 'delivered' || delivery.status === 'failed' || delivery.status === 'canceled';
}

/**
 * A delivery after another fact. A fact that was folded before changes nothing, wherever it is read again. Facts of an
 * older cycle only count their attempt. These rules apply within a cycle:
 * - The first deferral schedules the attempt.
 * - An attempt counts as new by its number among those of the cycle.
 * - The first success is final.
 * - Only a success ends a `failed` or `canceled` that was reached before it.
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

/** The outcome of the delivery's status for the replays that wait for it. */
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

/** A delivery after another fact of its cycle. */
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

/** The highest number counts, so that a duplicate attempt counts once. */
function counted(delivery: Delivery, number: number): Delivery {
  return number > delivery.attemptCount ? { ...delivery, attemptCount: number } : delivery;
}

/** Counts an attempt also among those of the delivery's cycle. */
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
