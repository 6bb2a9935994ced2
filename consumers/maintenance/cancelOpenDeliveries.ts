import type { Clock } from '../../shared/core/clock.js';
import type { Identifiers } from '../../shared/domain/core/identifiers.js';
import type { Delivery } from '../../shared/domain/deliveries/delivery.js';
import type { DeliveryFact } from '../../shared/domain/deliveries/deliveryFacts.js';
import type { LogAppender } from '../../shared/log/producer/producer.js';
import { deliveryRecords } from '../../shared/log/records/deliveries.js';
import type { EventDocument } from '../../shared/store/models/documents.js';
import { offsetsBehind, type ModelProgress } from '../../shared/store/models/modelProgress.js';
import type { EndedWebhook } from './endedWebhooks.js';
import { openPages, openStatuses, type OpenDeliveryReads, type OpenStatus } from './openDeliveries.js';

export interface CancelOpenDeliveriesDependencies {
  readonly events: Pick<OpenDeliveryReads, 'findPage'>;
  /** The progress of the model `events`. */
  readonly progress: ModelProgress;
  readonly log: LogAppender;
  readonly identifiers: Identifiers;
  readonly clock: Clock;
  /** Whether this process owns the event's deliveries, so that one process cancels each delivery. */
  readonly isOurs: (eventId: string) => boolean;
}

/**
 * Cancels the deliveries that were scheduled for a webhook before it was deleted or disabled, page by page. A second
 * cancelation record of a delivery has no effect.
 * @returns how many deliveries were canceled
 * @throws UnavailableError if the log or the read model is unavailable; the caller tries again
 */
export type CancelOpenDeliveries = (webhook: EndedWebhook, signal: AbortSignal) => Promise<number>;

const modelTimeoutMs = 10_000;

interface OpenDelivery {
  readonly eventId: string;
  readonly delivery: Delivery;
}

export function createCancelOpenDeliveries(
  dependencies: CancelOpenDeliveriesDependencies,
): CancelOpenDeliveries {
  const { events, progress, log, identifiers, clock, isOurs } = dependencies;

  const cancel = ({ eventId, delivery }: OpenDelivery, webhook: EndedWebhook) => {
    const at = clock();
    const { accountId, mode } = webhook;
    const context = { id: identifiers.createRecordId(at), key: eventId, accountId, mode, at };
    return log.append(deliveryRecords.encode(canceledFact(delivery, webhook), context));
  };

  const cancelAllOf = async (webhook: EndedWebhook, status: OpenStatus, signal: AbortSignal) => {
    let canceled = 0;
    for await (const page of openPages(events, webhook.id, status)) {
      const open = page.flatMap((event) => openDeliveriesOf(event, webhook, isOurs));
      const positions = await Promise.all(open.map((delivery) => cancel(delivery, webhook)));
      // Waits until the model contains the cancelations. Otherwise the next pass would cancel the same deliveries
      // again.
      await progress.reached('deliveries', offsetsBehind(positions), modelTimeoutMs);
      canceled += open.length;
      if (signal.aborted) {
        break;
      }
    }
    return canceled;
  };

  return async (webhook, signal) => {
    let canceled = 0;
    for (const status of openStatuses) {
      canceled += await cancelAllOf(webhook, status, signal);
    }
    return canceled;
  };
}

function openDeliveriesOf(
  { _id: eventId, deliveries }: EventDocument,
  { id, openFromEpoch }: EndedWebhook,
  isOurs: (eventId: string) => boolean,
): readonly OpenDelivery[] {
  const delivery = deliveries.find(({ webhookId }) => webhookId === id);
  return delivery !== undefined && delivery.epoch < openFromEpoch && isOurs(eventId)
    ? [{ eventId, delivery }]
    : [];
}

function canceledFact(
  { cycle, epoch, replayId }: Delivery,
  { id: webhookId, ended, openFromEpoch }: EndedWebhook,
): DeliveryFact {
  return {
    type: 'postrider.delivery.canceled',
    value: {
      webhookId,
      cycle,
      replayId,
      epoch: Number.isFinite(openFromEpoch) ? openFromEpoch : epoch,
      error: {
        code: ended === 'deleted' ? 'webhook_deleted' : 'webhook_disabled',
        message: `The webhook was ${ended} before the event could be delivered`,
      },
    },
  };
}
