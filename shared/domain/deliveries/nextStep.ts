import type { Webhook } from '../webhooks/webhook.js';
import { isFinal, type AttemptTrigger, type Delivery } from './delivery.js';

/** One attempt of a delivery: its number and its trigger. */
export interface ScheduledAttempt {
  /** The number of the attempt over all cycles of the delivery, from 1. */
  readonly number: number;
  /** The number of earlier attempts in the cycle. */
  readonly attemptsMade: number;
  readonly trigger: AttemptTrigger;
}

/**
 * The source record of a delivery. `predatesAssignment` is true if the record was in the log before this process was
 * assigned the partition.
 */
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
  /** Appends a retry record that may be missing from the log. The retry is due at once if `due` is null. */
  | { readonly kind: 'schedule'; readonly attempt: ScheduledAttempt; readonly due: Date | null }
  | { readonly kind: 'drop' };

const drop: NextStep = { kind: 'drop' };

/**
 * The next step of a delivery that is resumed from a source record. `delivery` is the state of the delivery in the log.
 * ```
 *                      (none)     pending, scheduled  retrying            final   of a later cycle
 *   event              attempt    schedule            schedule            drop    drop
 *   request            attempt    schedule ¹          schedule ¹          drop    drop
 *   retry, number n    attempt    attempt             n > last: attempt   drop    drop
 *                                                     n = last: schedule ¹
 *                                                     n < last: drop
 *   ¹ if the record was in the log at assignment, otherwise drop
 * ```
 * A crash can prevent the retry record of an outcome. Only a source record that was in the log at assignment can lack
 * its retry record. For a later source record, this process appended the outcome itself, or the source record is a
 * duplicate.
 */
export function nextStep(delivery: Delivery | null, source: SourceRecord): NextStep {
  if (delivery === null) {
    return { kind: 'attempt', attempt: firstOf(source) };
  }
  const cycle = source.record === 'event' ? 0 : source.cycle;
  return delivery.cycle > cycle || isFinal(delivery) ? drop : openStep(delivery, source);
}

/** The next step of a delivery that is not final, if the source record belongs to its latest cycle. */
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

/** The attempt that the state of a delivery requires in its latest cycle. */
function schedulingOf(delivery: Delivery, firstTrigger: AttemptTrigger): NextStep {
  const { firstNumber, lastNumber, attemptCount, nextAttemptAt } = delivery;
  const attempt: ScheduledAttempt =
    firstNumber === null
      ? { number: attemptCount + 1, attemptsMade: 0, trigger: firstTrigger }
      : { number: lastNumber + 1, attemptsMade: lastNumber - firstNumber + 1, trigger: 'retry' };
  return { kind: 'schedule', attempt, due: nextAttemptAt };
}

/**
 * The reason to cancel a delivery that was scheduled in an epoch of its webhook; null if the delivery must not be
 * canceled. Each disabling of a webhook increments its epoch. So a delivery from before a disabling stays canceled
 * after the webhook is enabled again.
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
