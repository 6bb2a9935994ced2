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
      readonly stoodAtAssignment: boolean;
    }
  | ({
      readonly record: 'work';
      readonly cycle: number;
      readonly stoodAtAssignment: boolean;
    } & ScheduledAttempt);

export type NextStep =
  | { readonly kind: 'attempt'; readonly attempt: ScheduledAttempt }
  /** Its work record may be missing: it is appended (again). Null is due at once. */
  | { readonly kind: 'plan'; readonly attempt: ScheduledAttempt; readonly due: Date | null }
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
export function nextStep(delivery: Delivery | null, met: SourceRecord): NextStep {
  if (delivery === null) {
    return { kind: 'attempt', attempt: firstOf(met) };
  }
  const cycle = met.record === 'event' ? 0 : met.cycle;
  return delivery.cycle > cycle || isFinal(delivery) ? drop : openStep(delivery, met);
}

/** The step of a delivery that is open, in the cycle of the record. */
function openStep(delivery: Delivery, met: SourceRecord): NextStep {
  switch (met.record) {
    case 'event':
      return planOf(delivery, met.trigger);
    case 'request':
      return requested(delivery, met);
    case 'work':
      return worked(delivery, met);
    default: {
      const never: never = met;
      return never;
    }
  }
}

function firstOf(met: SourceRecord): ScheduledAttempt {
  return met.record === 'work'
    ? { number: met.number, attemptsMade: met.attemptsMade, trigger: met.trigger }
    : { number: 1, attemptsMade: 0, trigger: met.trigger };
}

function requested(delivery: Delivery, met: Extract<SourceRecord, { record: 'request' }>): NextStep {
  const hasBegun = delivery.lastNumber > 0 || delivery.nextAttemptAt !== null;
  if (hasBegun) {
    return met.stoodAtAssignment ? planOf(delivery, met.trigger) : drop;
  }
  return {
    kind: 'attempt',
    attempt: { number: delivery.attemptCount + 1, attemptsMade: 0, trigger: met.trigger },
  };
}

function worked(delivery: Delivery, met: Extract<SourceRecord, { record: 'work' }>): NextStep {
  if (met.number > delivery.lastNumber) {
    return { kind: 'attempt', attempt: firstOf(met) };
  }
  return met.stoodAtAssignment && met.number === delivery.lastNumber ? planOf(delivery, met.trigger) : drop;
}

/** The attempt that follows from what a delivery has come to in its cycle. */
function planOf(delivery: Delivery, firstTrigger: AttemptTrigger): NextStep {
  const { firstNumber, lastNumber, attemptCount, nextAttemptAt } = delivery;
  const attempt: ScheduledAttempt =
    firstNumber === null
      ? { number: attemptCount + 1, attemptsMade: 0, trigger: firstTrigger }
      : { number: lastNumber + 1, attemptsMade: lastNumber - firstNumber + 1, trigger: 'retry' };
  return { kind: 'plan', attempt, due: nextAttemptAt };
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
