import type { RecordContext } from '../core/fact.js';
import { isFinal, isParked, type Delivery, type LastAttempt, type ParkedAttempt } from './delivery.js';
import type { DeliveryAttempted, DeliveryFact, DeliveryReference, MatchedWebhook } from './deliveryFacts.js';
import { withAttempt } from './recordedAttempts.js';
import { withReplay } from './replayedDelivery.js';
import { isReplayCancelation, outcomeOf, stateBeforeReplay, withoutReplay } from './replayWithdrawal.js';

/**
 * The delivery of a webhook that `.matched` names. A delivery that has an attempt, an end or a later cycle stays
 * unchanged. A repeated record may park a delivery: the process that appended it has finished the event's record.
 */
export function evolveMatched(
  state: Delivery | null,
  { webhookId, epoch, waits, tenancy }: MatchedWebhook,
): Delivery {
  const delivery = state ?? unattempted({ webhookId, cycle: 0, epoch, replayId: null }, tenancy);
  return waits === null || delivery.cycle > 0
    ? delivery
    : parked(delivery, { number: 1, reason: waits, replayId: null });
}

/**
 * A delivery after another fact. A fact that was folded before changes nothing. A fact of an older cycle changes only
 * the number of attempts and the last attempt. Rules for facts of one cycle:
 * - The first deferral of an earlier version schedules the first attempt. Any other deferral parks an attempt that was
 *   not made.
 * - An attempt, an end, and a later cycle end the parking.
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
  if (state !== null && isReplayCancelation(fact) && fact.value.cycle <= state.cycle) {
    return withoutReplay(state, fact.value);
  }
  const delivery = withoutEndedParking(evolveCycles(state, fact));
  const { replays = [], cycle, replayId: requestedBy } = delivery;
  const { replayId } = fact.value;
  if (replayId === null && replays.length === 0) {
    return delivery;
  }
  const attemptOf = fact.type === 'postrider.delivery.attempted' ? replayId : null;
  const followed = { cycle, outcome: outcomeOf(delivery), requestedBy, attemptOf };
  return { ...delivery, replays: withReplay(replays, replayId, followed) };
}

function evolveCycles(
  state: Delivery | null,
  fact: DeliveryFact & { readonly context: RecordContext },
): Delivery {
  if (state !== null && fact.value.cycle < state.cycle) {
    return fact.type === 'postrider.delivery.attempted' ? attemptedEarlier(state, fact.value) : state;
  }
  const delivery = state?.cycle === fact.value.cycle ? state : beginCycle(state, fact);
  return evolveCycle({ ...delivery, epoch: Math.max(delivery.epoch, fact.value.epoch) }, fact);
}

/** A delivery in the cycle of the fact, which is its first or a later one. */
function beginCycle(
  state: Delivery | null,
  { type, value, context }: DeliveryFact & { readonly context: RecordContext },
): Delivery {
  const begun = state === null ? unattempted(value, context.tenancy) : nextCycle(state, value);
  const isReplay = type === 'postrider.delivery.requested' && value.replayId !== null;
  return isReplay ? { ...begun, before: stateBeforeReplay(state) } : begun;
}

/** A delivery after another fact of the delivery's latest cycle. */
function evolveCycle(delivery: Delivery, fact: DeliveryFact & { readonly context: RecordContext }): Delivery {
  switch (fact.type) {
    case 'postrider.delivery.requested':
      // A record that was appended twice must not request the delivery again.
      return isWithdrawn(delivery, fact.value)
        ? delivery
        : { ...delivery, requestId: delivery.requestId ?? fact.context.id };
    case 'postrider.delivery.deferred':
      return deferred(delivery, fact.value);
    case 'postrider.delivery.retry-deferred':
      return parked(delivery, { ...fact.value, reason: fact.value.waits });
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

/** Whether the replay that a fact belongs to was canceled before an attempt of the delivery. */
function isWithdrawn({ replays = [] }: Delivery, { replayId }: DeliveryReference): boolean {
  return replays.some((replayed) => replayed.replayId === replayId && replayed.outcome === 'canceled');
}

function unattempted(
  { webhookId, cycle, epoch, replayId }: DeliveryReference,
  tenancy: string | null | undefined,
): Delivery {
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
    ...(typeof tenancy === 'string' && { tenancy }),
  };
}

function nextCycle(
  { attemptCount, attemptIds, tenancy, replays, last }: Delivery,
  reference: DeliveryReference,
): Delivery {
  return {
    ...unattempted(reference, tenancy),
    attemptCount,
    ...(attemptIds !== undefined && { attemptIds }),
    ...(replays !== undefined && { replays }),
    ...(last !== undefined && { last }),
  };
}

type DeliveryDeferred = Extract<DeliveryFact, { type: 'postrider.delivery.deferred' }>;

function deferred(
  delivery: Delivery,
  { waits, number, replayId, nextAttemptAt }: DeliveryDeferred['value'],
): Delivery {
  if (waits !== undefined && number !== undefined) {
    return parked(delivery, { number, reason: waits, replayId });
  }
  return delivery.status === 'pending' && delivery.nextAttemptAt === null && !isParked(delivery)
    ? { ...delivery, nextAttemptAt }
    : delivery;
}

/**
 * Parks an attempt that was not made, of a delivery that has not ended. A record of a canceled replay, and a record
 * that is older than the parked attempt, change nothing.
 */
function parked(
  delivery: Delivery,
  { number, reason, replayId }: ParkedAttempt & Pick<DeliveryReference, 'replayId'>,
): Delivery {
  const isParkable =
    !isFinal(delivery) &&
    delivery.replayId === replayId &&
    number > Math.max(delivery.lastNumber, delivery.parked?.number ?? 0);
  return isParkable ? { ...delivery, parked: { number, reason } } : delivery;
}

function withoutEndedParking(delivery: Delivery): Delivery {
  const { parked: parkedAttempt, ...others } = delivery;
  const hasEnded =
    parkedAttempt !== undefined && (isFinal(delivery) || delivery.lastNumber >= parkedAttempt.number);
  return hasEnded ? others : delivery;
}

/**
 * The delivery after an attempt of an older cycle, which changes only the number of attempts. Before the first attempt of
 * the latest cycle it also changes the last attempt.
 */
function attemptedEarlier(delivery: Delivery, attempt: DeliveryAttempted): Delivery {
  const next = withAttempt(delivery, attempt.attemptId);
  return next === delivery || next.firstNumber !== null ? next : { ...next, last: lastAttemptOf(attempt) };
}

/** The delivery with an attempt of its latest cycle. */
function countedInCycle(
  { before: _before, ...delivery }: Delivery,
  { attemptId, number }: DeliveryAttempted,
): Delivery {
  return {
    ...withAttempt(delivery, attemptId),
    firstNumber: Math.min(delivery.firstNumber ?? number, number),
    lastNumber: Math.max(delivery.lastNumber, number),
  };
}

function lastAttemptOf({ attemptedAt: at, statusCode, error }: DeliveryAttempted): LastAttempt {
  return { at, statusCode, errorCode: error?.code ?? null };
}

function attempted(delivery: Delivery, attempt: DeliveryAttempted): Delivery {
  const isStale = attempt.number <= delivery.lastNumber;
  const next = countedInCycle(delivery, attempt);
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
    last: lastAttemptOf(attempt),
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
    last: lastAttemptOf(attempt),
  };
}
