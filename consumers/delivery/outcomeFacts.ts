import type { DeliveryError, DeliveryFact } from '../../shared/domain/delivery.js';
import type { AttemptOutcome } from '../attempt/attempt.js';
import type { Pair } from './pair.js';

/** Why a pair ends without a further attempt. */
export type CancelReason = 'deleted' | 'disabled' | 'expired';

const cancelErrors: Readonly<Record<CancelReason, DeliveryError>> = {
  deleted: {
    code: 'webhook_deleted',
    message: 'The webhook was deleted before the event could be delivered',
  },
  disabled: {
    code: 'webhook_disabled',
    message: 'The webhook was disabled before the event could be delivered',
  },
  expired: { code: 'event_expired', message: 'The event was removed before it could be delivered' },
};

/** What the log keeps of an attempt. Nothing more is planned in its cycle where `nextAttemptAt` is null. */
export function attemptedFact(
  pair: Pair,
  attemptId: string,
  result: AttemptOutcome,
  nextAttemptAt: Date | null,
): Extract<DeliveryFact, { type: 'postrider.delivery.attempted' }> {
  return {
    type: 'postrider.delivery.attempted',
    value: {
      // Named one by one: behind a spread V8 adds so many fields one after the other, which takes 12 µs instead of 0.1.
      webhookId: pair.webhookId,
      cycle: pair.cycle,
      epoch: pair.epoch,
      replayId: pair.replayId,
      attemptId,
      number: pair.number,
      trigger: pair.trigger,
      outcome: result.outcome,
      final: nextAttemptAt === null,
      statusCode: result.statusCode,
      error: result.error,
      attemptedAt: result.startedAt,
      durationMs: result.durationMs,
      nextAttemptAt,
      responseBody: result.responseBody.toString('base64'),
      responseHeaders: result.responseHeaders,
    },
  };
}

/** What the log keeps of an attempt that has disabled its webhook: neither a next one nor the end of the schedule. */
export function goneFacts(
  pair: Pair,
  attemptId: string,
  result: AttemptOutcome,
): readonly [DeliveryFact, DeliveryFact] {
  const { type, value } = attemptedFact(pair, attemptId, result, null);
  return [{ type, value: { ...value, final: false } }, canceledFact(pair, 'disabled')];
}

/** What the log keeps of a pair that waits for its busy webhook, once in each cycle. */
export function deferredFact(pair: Pair, nextAttemptAt: Date): DeliveryFact {
  return { type: 'postrider.delivery.deferred', value: { ...referenceOf(pair), nextAttemptAt } };
}

/** What the log keeps of a pair that ends without a further attempt. */
export function canceledFact(pair: Pair, reason: CancelReason): DeliveryFact {
  return {
    type: 'postrider.delivery.canceled',
    value: { ...referenceOf(pair), error: cancelErrors[reason] },
  };
}

function referenceOf({ webhookId, cycle, epoch, replayId }: Pair) {
  return { webhookId, cycle, epoch, replayId };
}
