import { matchesEvent } from '../../shared/domain/webhook.js';
import type { DeadLetters } from '../../shared/kafka/deadLetters.js';
import type { WorkResult } from '../../shared/kafka/windowedConsumer.js';
import { decodeEvent } from '../../shared/topics/events.js';
import type { RawRecord } from '../../shared/topics/record.js';
import type { DeliverPair } from './deliverPair.js';
import type { EarlierDeliveries } from './earlierDeliveries.js';
import type { WebhookReader } from './webhookReader.js';

export interface DeliverEventDependencies {
  readonly webhooks: WebhookReader;
  readonly earlier: EarlierDeliveries;
  readonly deliverPair: DeliverPair;
  readonly deadLetters: DeadLetters;
}

/**
 * Delivers one event of the log to every webhook that matches it and has no outcome of it yet. The record is done
 * when all its pairs are.
 */
export function createDeliverEvent(
  dependencies: DeliverEventDependencies,
): (record: RawRecord, signal: AbortSignal) => Promise<WorkResult> {
  const { webhooks, earlier, deliverPair, deadLetters } = dependencies;
  return async (record, signal) => {
    const fetchedAt = performance.now();
    const decoded = decodeEvent(record);
    if (!decoded.readable) {
      await deadLetters.append(record, decoded.reason);
      return 'done';
    }
    const event = decoded.content;
    if (event.mode === 'test') {
      return 'done';
    }
    const known = await earlier.of(event.id, record, signal);
    // Read after the event was fetched: a webhook that was created before the event was posted is in this read.
    const snapshot = await webhooks.webhooksOf(event.accountId, event.mode, fetchedAt);
    const matching = snapshot.webhooks.filter(
      (webhook) =>
        matchesEvent(webhook, event, record) && !known.some(({ webhookId }) => webhookId === webhook.id),
    );
    const results = await Promise.all(matching.map((webhook) => deliverPair({ event, webhook }, signal)));
    return results.includes('abandoned') ? 'abandoned' : 'done';
  };
}
