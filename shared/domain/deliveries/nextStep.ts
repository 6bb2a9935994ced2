import { isFinal, type AttemptTrigger, type Delivery } from './delivery.js';
import type { Webhook } from '../webhooks/webhook.js';

/** One attempt among those of a pair: which it is, and why it is made. */
export interface ScheduledAttempt {
  /** Counts all attempts of the pair, over all cycles, from 1. */
  readonly number: number;
  /** How many attempts of this cycle come before it. */
  readonly attemptsMade: number;
  readonly trigger: AttemptTrigger;
}

/** The record in which a pair was met. `stoodAtAssignment`: it was in the log before its partition became this process's. */
export type SourceRecord =
  | { readonly record: 'event'; readonly trigger: AttemptTrigger }
  | {
      readonly record: 'request';
      readonly trigger: AttemptTrigger;
      readonly cycle: number;
      readonly predatesAssignment: boolean;
    }
  | ({
      readonly record: 'retry';
      readonly cycle: number;
      readonly predatesAssignment: boolean;
    } & ScheduledAttempt);

export type NextStep =
  | { readonly kind: 'attempt'; readonly attempt: ScheduledAttempt }
  /** Its work record may be missing: it is appended (again). Null is due at once. */
  | { readonly kind: 'schedule'; readonly attempt: ScheduledAttempt; readonly due: Date | null }
  | { readonly kind: 'drop' };

const drop: NextStep = { kind: 'drop' };

/**
 * What is to be done with a pair that was met in a record, given all that the log says of it.
 *
 * ```
 *                      (none)     pending, planned   retrying            final   of a later cycle
 *   event              attempt    plan               plan                drop    drop
 *   request            attempt    plan ¹             plan ¹              drop    drop
 *   work, number n     attempt    attempt            n > last: attempt   drop    drop
 *                                                    n = last: plan ¹
 *                                                    n < last: drop
 *   ¹ where the record stood in the log at assignment, else drop
 * ```
 *
 * Only a record that stood there can be the one that a crash has left between an outcome and the work record that
 * follows from it. Any other has its outcome from this very process, or is a copy of one that has.
 */
export function nextStep(delivery: Delivery | null, source: SourceRecord): NextStep {
  if (delivery === null) {
    return { kind: 'attempt', attempt: firstOf(source) };
  }
  const cycle = source.record === 'event' ? 0 : source.cycle;
  return delivery.cycle > cycle || isFinal(delivery) ? drop : openStep(delivery, source);
}

/** The step of a delivery that is open, in the cycle of the record. */
function openStep(delivery: Delivery, source: SourceRecord): NextStep {
  switch (source.record) {
    case 'event':
      return schedulingOf(delivery, source.trigger);
    case 'request':
      return requested(delivery, source);
    case 'retry':
      return retried(delivery, source);
    default: {
      const never: never = source;
      return never;
    }
  }
}

function firstOf(source: SourceRecord): ScheduledAttempt {
  return source.record === 'retry'
    ? { number: source.number, attemptsMade: source.attemptsMade, trigger: source.trigger }
    : { number: 1, attemptsMade: 0, trigger: source.trigger };
}

function requested(delivery: Delivery, source: Extract<SourceRecord, { record: 'request' }>): NextStep {
  const hasBegun = delivery.lastNumber > 0 || delivery.nextAttemptAt !== null;
  if (hasBegun) {
    return source.predatesAssignment ? schedulingOf(delivery, source.trigger) : drop;
  }
  return {
    kind: 'attempt',
    attempt: { number: delivery.attemptCount + 1, attemptsMade: 0, trigger: source.trigger },
  };
}

function retried(delivery: Delivery, source: Extract<SourceRecord, { record: 'retry' }>): NextStep {
  if (source.number > delivery.lastNumber) {
    return { kind: 'attempt', attempt: firstOf(source) };
  }
  return source.predatesAssignment && source.number === delivery.lastNumber
    ? schedulingOf(delivery, source.trigger)
    : drop;
}

/** The attempt that follows from what a delivery has come to in its cycle. */
function schedulingOf(delivery: Delivery, firstTrigger: AttemptTrigger): NextStep {
  const { firstNumber, lastNumber, attemptCount, nextAttemptAt } = delivery;
  const attempt: ScheduledAttempt =
    firstNumber === null
      ? { number: attemptCount + 1, attemptsMade: 0, trigger: firstTrigger }
      : { number: lastNumber + 1, attemptsMade: lastNumber - firstNumber + 1, trigger: 'retry' };
  return { kind: 'schedule', attempt, due: nextAttemptAt };
}

/**
 * Why a pair that was planned in an epoch of its webhook gets no attempt, or null where it does. Each disabling raises the
 * epoch, so what was planned before it stays canceled when the webhook is enabled again.
 */
export function cancelationOf(
  webhook: Pick<Webhook, 'status' | 'epoch'> | undefined,
  plannedInEpoch: number,
): 'deleted' | 'disabled' | null {
  if (webhook === undefined) {
    return 'deleted';
  }
  return webhook.status === 'disabled' || webhook.epoch > plannedInEpoch ? 'disabled' : null;
}
