import type { Clock } from '../../shared/core/clock.js';
import type { Identifiers } from '../../shared/domain/core/identifiers.js';
import { UnavailableError } from '../../shared/core/errors.js';
import type { Delivery } from '../../shared/domain/deliveries/delivery.js';
import type { DeliveryFact } from '../../shared/domain/deliveries/deliveryFacts.js';
import { isUnattempted } from '../../shared/domain/deliveries/replayWithdrawal.js';
import { withdraw } from '../../shared/domain/replays/replayDecisions.js';
import { tenantOfDelivery } from '../../shared/domain/tenants/deliveryTenant.js';
import type { LogAppender } from '../../shared/log/producer/producer.js';
import { deliveryRecords } from '../../shared/log/records/deliveries.js';
import type { EventDocument } from '../../shared/store/models/documents.js';
import { offsetsBehind, type ModelProgress } from '../../shared/store/models/modelProgress.js';
import type { ReadModels } from '../../shared/store/models/readModels.js';
import type { EndedWebhook } from './endedWebhooks.js';
import { openPages, openStatuses, type OpenDeliveryReads, type OpenStatus } from './openDeliveries.js';

export interface CancelOpenDeliveriesDependencies {
  readonly events: Pick<OpenDeliveryReads, 'findPage'>;
  readonly replays: Pick<ReadModels['replays'], 'findInAllAccounts'>;
  /** The progress of the model `events`. */
  readonly progress: ModelProgress;
  readonly log: LogAppender;
  readonly identifiers: Identifiers;
  readonly clock: Clock;
  /** Whether this process owns the deliveries of a home partition, so that one process cancels each delivery. */
  readonly isOurs: (home: number) => boolean;
}

/**
 * Cancels the deliveries that were scheduled for a webhook before it was deleted or disabled, page by page. A second
 * cancelation record of a delivery has no effect. The requests of a replay that ends with the webhook are withdrawn. If
 * such a delivery is then open again, the next call cancels it.
 * @returns how many deliveries were canceled
 * @throws UnavailableError if the log or the read model is unavailable; the caller tries again
 */
export type CancelOpenDeliveries = (webhook: EndedWebhook, signal: AbortSignal) => Promise<number>;

const modelTimeoutMs = 10_000;

interface OpenDelivery {
  readonly event: EventDocument;
  readonly delivery: Delivery;
}

export function createCancelOpenDeliveries(
  dependencies: CancelOpenDeliveriesDependencies,
): CancelOpenDeliveries {
  const { events, replays, progress, log, identifiers, clock, isOurs } = dependencies;

  /** The ids of the replays that are canceled, or will be because their webhook has ended. */
  const endedReplays = async (open: readonly OpenDelivery[]): Promise<ReadonlySet<string>> => {
    const ids = open.flatMap(({ delivery }) =>
      isUnattempted(delivery, delivery.replayId) && delivery.replayId !== null ? [delivery.replayId] : [],
    );
    if (ids.length === 0) {
      return new Set();
    }
    const { documents, meta } = await replays.findInAllAccounts([...new Set(ids)]);
    if (!meta.complete) {
      throw new UnavailableError('the read model "replays" is being built from the log');
    }
    return new Set(documents.filter(({ status }) => status !== 'completed').map(({ _id: id }) => id));
  };

  const cancel = (
    { event, delivery }: OpenDelivery,
    webhook: EndedWebhook,
    withdrawn: ReadonlySet<string>,
  ) => {
    const at = clock();
    const { _id: key, home } = event;
    const { accountId, mode } = webhook;
    const tenant = tenantOfDelivery(event, delivery);
    const context = { id: identifiers.createRecordId(at), key, accountId, mode, at, ...tenant };
    const { replayId } = delivery;
    const isWithdrawn = replayId !== null && withdrawn.has(replayId) && isUnattempted(delivery, replayId);
    const fact = isWithdrawn ? withdraw(delivery) : canceledFact(delivery, webhook);
    return log.append(deliveryRecords.encode(fact, context, home));
  };

  const cancelAllOf = async (webhook: EndedWebhook, status: OpenStatus, signal: AbortSignal) => {
    let canceled = 0;
    for await (const page of openPages(events, webhook.id, status)) {
      const open = page.flatMap((event) => openDeliveriesOf(event, webhook, isOurs));
      const withdrawn = await endedReplays(open);
      const positions = await Promise.all(open.map((delivery) => cancel(delivery, webhook, withdrawn)));
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
  event: EventDocument,
  { id, openFromEpoch }: EndedWebhook,
  isOurs: CancelOpenDeliveriesDependencies['isOurs'],
): readonly OpenDelivery[] {
  const delivery = event.deliveries.find(({ webhookId }) => webhookId === id);
  return delivery !== undefined && delivery.epoch < openFromEpoch && isOurs(event.home)
    ? [{ event, delivery }]
    : [];
}

function canceledFact(
  { cycle, epoch, replayId }: Delivery,
  { id: webhookId, ended, reason, openFromEpoch }: EndedWebhook,
): DeliveryFact {
  return {
    type: 'postrider.delivery.canceled',
    value: {
      webhookId,
      cycle,
      replayId,
      epoch: Number.isFinite(openFromEpoch) ? openFromEpoch : epoch,
      error: {
        code: reason ?? (ended === 'deleted' ? 'webhook_deleted' : 'webhook_disabled'),
        message: `The ${reason === undefined ? 'webhook' : 'tenant'} was ${ended} before the event could be delivered`,
      },
    },
  };
}
