import type {
  DeliveryAttempted,
  DeliveryFact,
  DeliveryReference,
  EventMatched,
  WaitReason,
} from '../../shared/domain/deliveries/deliveryFacts.js';
import { contextOf, secondsLater, testActor, testIdentifier, type InContext } from './facts.js';

type DeliveryFactInContext = InContext<DeliveryFact>;

/** The event of all these facts. */
export const testEventId = testIdentifier('evt');

const pair = { webhookId: testIdentifier('wh'), cycle: 0, epoch: 0, replayId: null };

function inContext(fact: DeliveryFact): DeliveryFactInContext {
  return { ...fact, context: contextOf(testEventId) };
}

/** A first attempt that got a 200, with the changes in `value`. */
export function succeeded(value: Partial<DeliveryAttempted> = {}): DeliveryFactInContext {
  return inContext({
    type: 'postrider.delivery.attempted',
    value: {
      ...pair,
      attemptId: testIdentifier('att', (value.cycle ?? 0) * 100 + (value.number ?? 1)),
      number: 1,
      trigger: 'first',
      outcome: 'succeeded',
      final: true,
      statusCode: 200,
      error: null,
      attemptedAt: secondsLater(1),
      durationMs: 250,
      nextAttemptAt: null,
      responseBody: '',
      responseHeaders: {},
      ...value,
    },
  });
}

/** A first attempt that got a 500 and will be retried, with the changes in `value`. */
export function failed(value: Partial<DeliveryAttempted> = {}): DeliveryFactInContext {
  return succeeded({
    outcome: 'failed',
    final: false,
    statusCode: 500,
    error: { code: 'http_status', message: 'The receiver answered 500' },
    nextAttemptAt: secondsLater(60),
    ...value,
  });
}

/** A first attempt that got a 500 and is the last of its cycle, with the changes in `value`. */
export function failedForGood(value: Partial<DeliveryAttempted> = {}): DeliveryFactInContext {
  return failed({ final: true, nextAttemptAt: null, ...value });
}

export function requested(cycle: number): DeliveryFactInContext {
  return inContext({
    type: 'postrider.delivery.requested',
    value: { ...pair, cycle, trigger: 'resend', actor: testActor },
  });
}

export function deferred(nextAttemptAt: Date, cycle = 0): DeliveryFactInContext {
  return inContext({ type: 'postrider.delivery.deferred', value: { ...pair, cycle, nextAttemptAt } });
}

export function canceled(cycle = 0): DeliveryFactInContext {
  const error = { code: 'webhook_deleted', message: 'The webhook was deleted' } as const;
  return inContext({ type: 'postrider.delivery.canceled', value: { ...pair, cycle, error } });
}

/** A first attempt of the cycle that is parked under its number. */
export function parked(number: number, value: Partial<DeliveryReference> = {}): DeliveryFactInContext {
  return inContext({
    type: 'postrider.delivery.deferred',
    value: { ...pair, nextAttemptAt: secondsLater(0), waits: 'busy', number, event: { offset: 7 }, ...value },
  });
}

export function retryParked(number: number, value: Partial<DeliveryReference> = {}): DeliveryFactInContext {
  return inContext({
    type: 'postrider.delivery.retry-deferred',
    value: { ...pair, waits: 'busy', number, event: { offset: 7 }, ...value },
  });
}

/** The request of a cycle by a replay. */
export function requestedByReplay(cycle: number, replayId = testIdentifier('rpl')): DeliveryFactInContext {
  return inContext({
    type: 'postrider.delivery.requested',
    value: { ...pair, cycle, replayId, trigger: 'replay', actor: testActor },
  });
}

export function canceledWithReplay(cycle: number, replayId = testIdentifier('rpl')): DeliveryFactInContext {
  const error = { code: 'replay_canceled', message: 'The replay was canceled' } as const;
  return inContext({ type: 'postrider.delivery.canceled', value: { ...pair, cycle, replayId, error } });
}

/** The webhooks that match the event of all these facts, each with the reason why its delivery waits. */
export function matched(waits: Readonly<Record<string, WaitReason | null>>): InContext<EventMatched> {
  const webhooks = Object.entries(waits).map(([webhookId, reason]) => ({
    webhookId,
    epoch: 0,
    waits: reason,
  }));
  return {
    type: 'postrider.delivery.matched',
    value: { event: { offset: 7 }, webhooks },
    context: contextOf(testEventId),
  };
}
