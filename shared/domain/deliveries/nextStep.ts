import type { Webhook } from '../webhooks/webhook.js';
import { isFinal, isParked, type Delivery } from './delivery.js';
import type { AttemptTrigger } from './deliveryFacts.js';

/** One attempt of a delivery: its number and its trigger. */
export interface ScheduledAttempt {
  /** The number of the attempt in its record, which attempts of overlapping cycles may share. */
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
    } & ScheduledAttempt)
  /** A failed outcome: if its process has died or the delivery was parked, no other record leads to the next attempt. */
  | { readonly record: 'outcome'; readonly cycle: number; readonly number: number }
  /**
   * The cancelation of a replay, or an event that no process reads again. If the delivery is open, no other record leads
   * to its next attempt.
   */
  | { readonly record: 'withdrawal'; readonly trigger: AttemptTrigger; readonly cycle: number }
  /** An entry of the backlog: the delivery is parked at this number in the read model. */
  | {
      readonly record: 'release';
      readonly trigger: AttemptTrigger;
      readonly cycle: number;
      readonly number: number;
    };

export type NextStep =
  | { readonly kind: 'attempt'; readonly attempt: ScheduledAttempt }
  /** Appends a retry record that may be missing from the log. The retry is due at once if `due` is null. */
  | { readonly kind: 'schedule'; readonly attempt: ScheduledAttempt; readonly due: Date | null }
  | { readonly kind: 'drop' };

const drop: NextStep = { kind: 'drop' };

/**
 * The next step of a delivery for a source record, given all that the log contains of the delivery.
 * ```
 *                      (none)    pending     parked at n    pending, scheduled   retrying             final   later cycle
 *   event              attempt   attempt     drop           schedule             schedule             drop    drop
 *   request            attempt   attempt     drop           schedule ¹           schedule ¹           drop    drop
 *   retry, number m    attempt   attempt     drop           attempt              m > last: attempt    drop    drop
 *                                                                                m = last: schedule ¹
 *                                                                                m < last: drop
 *   outcome, number m  drop      drop        drop           drop                 m = last: schedule   drop    drop
 *   withdrawal         drop      schedule    drop           schedule             schedule             drop    drop
 *   release, number m  drop      drop        m = n: attempt drop                 drop                 drop    drop
 *   ¹ if the record was in the log at assignment, otherwise drop
 * ```
 * A crash can separate an outcome from its retry record. Only a record that was in the log at assignment can be
 * affected. Any other record has its outcome from this process, or is a duplicate.
 */
export function nextStep(delivery: Delivery | null, source: SourceRecord): NextStep {
  if (delivery === null) {
    return unknownStep(source);
  }
  const cycle = source.record === 'event' ? 0 : source.cycle;
  if (delivery.cycle > cycle || isFinal(delivery)) {
    return drop;
  }
  if (source.record === 'release') {
    return released(delivery, source);
  }
  return isParked(delivery) ? drop : openStep(delivery, source);
}

/** The step for a record whose delivery has no fact. */
function unknownStep(source: SourceRecord): NextStep {
  switch (source.record) {
    case 'event':
    case 'request':
      return { kind: 'attempt', attempt: { number: 1, attemptsMade: 0, trigger: source.trigger } };
    case 'retry':
      return { kind: 'attempt', attempt: attemptOf(source) };
    case 'outcome':
    case 'withdrawal':
    case 'release':
      return drop;
    default: {
      const never: never = source;
      return never;
    }
  }
}

/** The step of an open delivery that is not parked, in the cycle of the record. */
function openStep(delivery: Delivery, source: Exclude<SourceRecord, { record: 'release' }>): NextStep {
  switch (source.record) {
    case 'event':
      return hasBegun(delivery)
        ? schedulingOf(delivery, source.trigger)
        : { kind: 'attempt', attempt: attemptAfter(delivery, source.trigger) };
    case 'request':
      return requested(delivery, source);
    case 'retry':
      return retried(delivery, source);
    case 'outcome':
      return delivery.status === 'retrying' && source.number === delivery.lastNumber
        ? schedulingOf(delivery, 'retry')
        : drop;
    case 'withdrawal':
      return schedulingOf(delivery, source.trigger);
    default: {
      const never: never = source;
      return never;
    }
  }
}

function requested(delivery: Delivery, source: Extract<SourceRecord, { record: 'request' }>): NextStep {
  if (!hasBegun(delivery)) {
    return { kind: 'attempt', attempt: attemptAfter(delivery, source.trigger) };
  }
  return source.predatesAssignment ? schedulingOf(delivery, source.trigger) : drop;
}

function retried(delivery: Delivery, source: Extract<SourceRecord, { record: 'retry' }>): NextStep {
  if (source.number > delivery.lastNumber) {
    return { kind: 'attempt', attempt: attemptOf(source) };
  }
  return source.predatesAssignment && source.number === delivery.lastNumber
    ? schedulingOf(delivery, source.trigger)
    : drop;
}

function released(delivery: Delivery, source: Extract<SourceRecord, { record: 'release' }>): NextStep {
  return delivery.parked?.number === source.number
    ? { kind: 'attempt', attempt: attemptAfter(delivery, source.trigger) }
    : drop;
}

function attemptOf({ number, attemptsMade, trigger }: ScheduledAttempt): ScheduledAttempt {
  return { number, attemptsMade, trigger };
}

/** Whether the cycle has an attempt, or a time for its first one. */
function hasBegun({ lastNumber, nextAttemptAt }: Delivery): boolean {
  return lastNumber > 0 || nextAttemptAt !== null;
}

function schedulingOf(delivery: Delivery, firstTrigger: AttemptTrigger): NextStep {
  return { kind: 'schedule', attempt: attemptAfter(delivery, firstTrigger), due: delivery.nextAttemptAt };
}

/** The attempt that the state of a delivery requires in its latest cycle. */
function attemptAfter(
  { firstNumber, lastNumber, attemptCount }: Delivery,
  firstTrigger: AttemptTrigger,
): ScheduledAttempt {
  return firstNumber === null
    ? { number: attemptCount + 1, attemptsMade: 0, trigger: firstTrigger }
    : { number: lastNumber + 1, attemptsMade: lastNumber - firstNumber + 1, trigger: 'retry' };
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

/** The trigger of a cycle's first attempt. The withdrawal of a replay continues cycle 0 with another number. */
export function firstTriggerOf(
  { requestId, replayId }: Pick<Delivery, 'requestId' | 'replayId'>,
  onlyWebhookId: string | null,
): AttemptTrigger {
  if (requestId === null) {
    return onlyWebhookId === null ? 'first' : 'test';
  }
  return replayId === null ? 'resend' : 'replay';
}
