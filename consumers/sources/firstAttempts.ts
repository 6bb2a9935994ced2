import { maximumStaleness } from '../../shared/commands/maximumStaleness.js';
import type { Delivery } from '../../shared/domain/deliveries/delivery.js';
import type { AcceptedEvent } from '../../shared/domain/events/event.js';
import { matchesEvent, type Webhook } from '../../shared/domain/webhooks/webhook.js';
import type { DeadLetters } from '../../shared/log/deadLetters/deadLetters.js';
import type { RawRecord } from '../../shared/log/encoding/record.js';
import { decodeEvent } from '../../shared/log/records/events.js';
import type { HandleRecord, WorkResult } from '../../shared/log/window/windowedConsumer.js';
import type { Deliver } from '../engine/deliver.js';
import type { DeliveryJob } from '../engine/deliveryJob.js';
import type { DeliveryIdentity, ResumeDelivery, ResumeInput } from '../engine/resumeDelivery.js';
import type { AccountCheck } from '../lookups/accountCheck.js';
import type { WebhookReader } from '../lookups/webhookReader.js';
import type { PriorDeliveries } from './priorDeliveries.js';

export interface HandleEventDependencies {
  readonly accountCheck: AccountCheck;
  readonly priorDeliveries: PriorDeliveries;
  readonly webhooks: WebhookReader;
  readonly deliver: Deliver;
  readonly resumeDelivery: ResumeDelivery;
  readonly deadLetters: DeadLetters;
}

/**
 * Delivers an event to every matching webhook, and resumes the deliveries of the event that the log already contains.
 * The record of the event is done when all deliveries of the event are done.
 */
export function createHandleEvent(dependencies: HandleEventDependencies): HandleRecord {
  const { priorDeliveries, webhooks, deliver, resumeDelivery } = dependencies;
  return async (record, signal, { takenAt, isOverShare }) => {
    const event = await decodeLiveEvent(dependencies, record);
    if (event === null) {
      return 'done';
    }
    const known = await priorDeliveries(event.id, record, signal);
    if (known === null || known === 'repeated') {
      return known === null ? 'abandoned' : 'done';
    }
    // The maximum staleness ensures that this read has every webhook that was confirmed before the event was posted.
    const snapshot = await webhooks.webhooksOf(event.accountId, event.mode, {
      notBefore: takenAt - maximumStaleness.matching,
      notBeforeTime: record.timestamp - maximumStaleness.matching,
    });
    const matching = snapshot.webhooks.filter(
      (webhook) =>
        matchesEvent(webhook, event, record) && !known.some(({ webhookId }) => webhookId === webhook.id),
    );
    const origin = { isFirst: true, isOverShare, content: () => Promise.resolve(event) };
    return allEnded([
      ...matching.map((webhook) => deliver(firstJob(event, record, webhook), origin, signal)),
      ...known.map((delivery) =>
        resumeDelivery({ ...resumeInput(event, record, delivery), isOverShare }, signal),
      ),
    ]);
  };
}

/**
 * Returns the event of a record. Returns null if the record has no event to deliver, because it is a dead letter or the
 * event of a test key.
 */
async function decodeLiveEvent(
  { accountCheck, deadLetters }: HandleEventDependencies,
  record: RawRecord,
): Promise<AcceptedEvent | null> {
  const decoded = decodeEvent(record);
  const rejection = decoded.readable
    ? await accountCheck(decoded.content.accountId, record.timestamp)
    : decoded.reason;
  if (rejection !== null) {
    await deadLetters.append(record, rejection);
    return null;
  }
  return decoded.readable && decoded.content.mode === 'live' ? decoded.content : null;
}

/**
 * Waits for every delivery, even if one delivery fails. Until all deliveries have ended, the record must be neither
 * retried nor appended to the dead letters.
 * @throws the error of the first failed delivery
 */
async function allEnded(deliveries: readonly Promise<WorkResult>[]): Promise<WorkResult> {
  const ends = await Promise.allSettled(deliveries);
  const failure = ends.find((end) => end.status === 'rejected');
  if (failure !== undefined) {
    throw failure.reason;
  }
  const isAbandoned = ends.some((end) => end.status === 'fulfilled' && end.value === 'abandoned');
  return isAbandoned ? 'abandoned' : 'done';
}

function firstJob(event: AcceptedEvent, record: RawRecord, { id: webhookId, epoch }: Webhook): DeliveryJob {
  return {
    number: 1,
    attemptsMade: 0,
    trigger: triggerOf(event),
    ...identityOf(event, record, { webhookId, epoch }),
  };
}

/** The input that resumes a delivery of the log, whose retry record may be missing. */
function resumeInput(
  event: AcceptedEvent,
  record: RawRecord,
  delivery: Delivery,
): Omit<ResumeInput, 'isOverShare'> {
  const position = { partition: record.partition, offset: record.offset, appended: record.timestamp };
  return {
    identity: identityOf(event, record, delivery),
    source: { record: 'event', trigger: triggerOf(event) },
    state: { source: position, deliveries: [delivery] },
  };
}

function triggerOf({ onlyWebhookId }: AcceptedEvent): 'first' | 'test' {
  return onlyWebhookId === null ? 'first' : 'test';
}

function identityOf(
  { id: eventId, accountId, mode }: AcceptedEvent,
  { partition, offset }: RawRecord,
  { webhookId, epoch }: Pick<Delivery, 'webhookId' | 'epoch'>,
): DeliveryIdentity {
  const positions = { event: { partition, offset }, outcome: null };
  return { eventId, accountId, mode, webhookId, cycle: 0, replayId: null, epoch, positions };
}
