import type { DeliveryFact } from '../../shared/domain/delivery.js';
import type { AcceptedEvent } from '../../shared/domain/event.js';
import type { Webhook } from '../../shared/domain/webhook.js';
import type { AttemptOutcome } from '../attempt/attempt.js';

const firstCycle = 0;
const firstNumber = 1;

/** What the log keeps of a first attempt. */
export function attemptedFact(
  event: Pick<AcceptedEvent, 'onlyWebhookId'>,
  webhook: Pick<Webhook, 'id' | 'epoch'>,
  attemptId: string,
  result: AttemptOutcome,
): DeliveryFact {
  return {
    type: 'postrider.delivery.attempted',
    value: {
      webhookId: webhook.id,
      cycle: firstCycle,
      epoch: webhook.epoch,
      replayId: null,
      attemptId,
      number: firstNumber,
      trigger: event.onlyWebhookId === null ? 'first' : 'test',
      outcome: result.outcome,
      final: true,
      statusCode: result.statusCode,
      error: result.error,
      attemptedAt: result.startedAt,
      durationMs: result.durationMs,
      nextAttemptAt: null,
      responseBody: result.responseBody.toString('base64'),
      responseHeaders: result.responseHeaders,
    },
  };
}

/** What the log keeps of a pair whose webhook was deleted or disabled after the event had matched it. */
export function canceledFact(
  matched: Pick<Webhook, 'id' | 'epoch'>,
  reason: 'deleted' | 'disabled',
): DeliveryFact {
  return {
    type: 'postrider.delivery.canceled',
    value: {
      webhookId: matched.id,
      cycle: firstCycle,
      epoch: matched.epoch,
      replayId: null,
      error: {
        code: reason === 'deleted' ? 'webhook_deleted' : 'webhook_disabled',
        message: `The webhook was ${reason} before the event could be delivered`,
      },
    },
  };
}
