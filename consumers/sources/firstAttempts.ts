import type { Delivery } from '../../shared/domain/deliveries/delivery.js';
import type { AcceptedEvent } from '../../shared/domain/events/event.js';
import { matchesEvent, type Webhook } from '../../shared/domain/webhooks/webhook.js';
import type { DeadLetters } from '../../shared/log/deadLetters/deadLetters.js';
import type { Admitted, HandleRecord, WorkResult } from '../../shared/log/window/windowedConsumer.js';
import { decodeEvent } from '../../shared/log/records/events.js';
import type { RawRecord } from '../../shared/log/encoding/record.js';
import { maximumStaleness } from '../../shared/commands/maximumStaleness.js';
import type { Deliver } from '../engine/deliver.js';
import type { PriorDeliveries } from './priorDeliveries.js';
import type { DeliveryJob } from '../engine/deliveryJob.js';
import type { DeliveryIdentity, ResumeDelivery } from '../engine/resumeDelivery.js';
import type { AccountCheck } from '../lookups/accountCheck.js';
import type { WebhookReader } from '../lookups/webhookReader.js';

export interface HandleEventDependencies {
  readonly accountCheck: AccountCheck;
  readonly priorDeliveries: PriorDeliveries;
  readonly webhooks: WebhookReader;
  readonly deliver: Deliver;
  readonly resumeDelivery: ResumeDelivery;
  readonly deadLetters: DeadLetters;
}

/**
 * Delivers one event of the log to every webhook that matches it, and takes up what was begun of it before. The record is
 * done when all its pairs are.
 */
export function createHandleEvent(dependencies: HandleEventDependencies): HandleRecord {
  const { accountCheck, deadLetters } = dependencies;
  return async (record, signal, admitted) => {
    const decoded = decodeEvent(record);
    if (!decoded.readable) {
      await deadLetters.append(record, decoded.reason);
      return 'done';
    }
    const event = decoded.content;
    const refused = await accountCheck(event.accountId, record.timestamp);
    if (refused !== null) {
      await deadLetters.append(record, refused);
      return 'done';
    }
    if (event.mode === 'test') {
      return 'done';
    }
    return deliverAll(dependencies, { event, record, ...admitted }, signal);
  };
}

interface AdmittedEvent extends Admitted {
  readonly event: AcceptedEvent;
  readonly record: RawRecord;
}

/** Takes all pairs of an event to what becomes of them. */
async function deliverAll(
  dependencies: HandleEventDependencies,
  source: AdmittedEvent,
  signal: AbortSignal,
): Promise<WorkResult> {
  const { priorDeliveries, webhooks } = dependencies;
  const { event, record, takenAt } = source;
  const known = await priorDeliveries(event.id, record, signal);
  if (known === null || known === 'repeated') {
    return known === null ? 'abandoned' : 'done';
  }
  // A webhook whose creation was answered before the event was posted is in this read: that is answered no sooner.
  const snapshot = await webhooks.webhooksOf(event.accountId, event.mode, {
    notBefore: takenAt - maximumStaleness.matching,
    notBeforeTime: record.timestamp - maximumStaleness.matching,
  });
  const fresh = snapshot.webhooks.filter(
    (webhook) =>
      matchesEvent(webhook, event, record) && !known.some(({ webhookId }) => webhookId === webhook.id),
  );
  return allEnded([
    ...fresh.map((webhook) => deliverFirst(dependencies, { webhook, ...source }, signal)),
    ...known.map((delivery) => resume(dependencies, { ...source, delivery }, signal)),
  ]);
}

/**
 * Waits for every pair, also if one fails: the record must not be tried again, nor become a dead letter, while the others have
 * nothing in the log.
 * @throws the first failure
 */
async function allEnded(pairs: readonly Promise<WorkResult>[]): Promise<WorkResult> {
  const ends = await Promise.allSettled(pairs);
  const failure = ends.find((end) => end.status === 'rejected');
  if (failure !== undefined) {
    throw failure.reason;
  }
  const isAbandoned = ends.some((end) => end.status === 'fulfilled' && end.value === 'abandoned');
  return isAbandoned ? 'abandoned' : 'done';
}

function deliverFirst(
  { deliver }: HandleEventDependencies,
  { event, webhook, record, isOverShare }: AdmittedEvent & { readonly webhook: Webhook },
  signal: AbortSignal,
): Promise<WorkResult> {
  const job: DeliveryJob = {
    number: 1,
    attemptsMade: 0,
    trigger: triggerOf(event),
    ...identityOf(event, record, { webhookId: webhook.id, epoch: webhook.epoch }),
  };
  return deliver(job, { isFirst: true, isOverShare, content: () => Promise.resolve(event) }, signal);
}

/** A pair that has a delivery already: its work record may be missing. */
function resume(
  { resumeDelivery }: HandleEventDependencies,
  { event, delivery, record, isOverShare }: AdmittedEvent & { readonly delivery: Delivery },
  signal: AbortSignal,
): Promise<WorkResult> {
  const source = { partition: record.partition, offset: record.offset, appended: record.timestamp };
  return resumeDelivery(
    {
      identity: identityOf(event, record, delivery),
      source: { record: 'event', trigger: triggerOf(event) },
      isOverShare,
      state: { source, deliveries: [delivery] },
    },
    signal,
  );
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
