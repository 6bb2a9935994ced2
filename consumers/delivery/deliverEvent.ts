import type { Delivery } from '../../shared/domain/delivery.js';
import type { AcceptedEvent } from '../../shared/domain/event.js';
import { matchesEvent, type Webhook } from '../../shared/domain/webhook.js';
import type { DeadLetters } from '../../shared/kafka/deadLetters.js';
import type { Admitted, HandleRecord, WorkResult } from '../../shared/kafka/windowedConsumer.js';
import { decodeEvent } from '../../shared/topics/events.js';
import type { RawRecord } from '../../shared/topics/record.js';
import { webhookAge } from '../../shared/webhookAge.js';
import type { DeliverPair } from './deliverPair.js';
import type { EarlierDeliveries } from './earlierDeliveries.js';
import type { Pair } from './pair.js';
import type { PairIdentity, PursuePair } from './pursuePair.js';
import type { RefusedAccount } from './refusedAccount.js';
import type { WebhookReader } from './webhookReader.js';

export interface DeliverEventDependencies {
  readonly refusedAccount: RefusedAccount;
  readonly earlier: EarlierDeliveries;
  readonly webhooks: WebhookReader;
  readonly deliverPair: DeliverPair;
  readonly pursuePair: PursuePair;
  readonly deadLetters: DeadLetters;
}

/**
 * Delivers one event of the log to every webhook that matches it, and takes up what was begun of it before. The record is
 * done when all its pairs are.
 */
export function createDeliverEvent(dependencies: DeliverEventDependencies): HandleRecord {
  const { refusedAccount, deadLetters } = dependencies;
  return async (record, signal, admitted) => {
    const decoded = decodeEvent(record);
    if (!decoded.readable) {
      await deadLetters.append(record, decoded.reason);
      return 'done';
    }
    const event = decoded.content;
    const refused = await refusedAccount(event.accountId, record.timestamp);
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

interface Met extends Admitted {
  readonly event: AcceptedEvent;
  readonly record: RawRecord;
}

/** Takes all pairs of an event to what becomes of them. */
async function deliverAll(
  dependencies: DeliverEventDependencies,
  met: Met,
  signal: AbortSignal,
): Promise<WorkResult> {
  const { earlier, webhooks } = dependencies;
  const { event, record, takenAt } = met;
  const known = await earlier(event.id, record, signal);
  if (known === null || known === 'repeated') {
    return known === null ? 'abandoned' : 'done';
  }
  // A webhook whose creation was answered before the event was posted is in this read: that is answered no sooner.
  const snapshot = await webhooks.webhooksOf(event.accountId, event.mode, {
    notBefore: takenAt - webhookAge.matching,
    notBeforeTime: record.timestamp - webhookAge.matching,
  });
  const fresh = snapshot.webhooks.filter(
    (webhook) =>
      matchesEvent(webhook, event, record) && !known.some(({ webhookId }) => webhookId === webhook.id),
  );
  return allEnded([
    ...fresh.map((webhook) => attemptFirst(dependencies, { webhook, ...met }, signal)),
    ...known.map((delivery) => takeUp(dependencies, { ...met, delivery }, signal)),
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

function attemptFirst(
  { deliverPair }: DeliverEventDependencies,
  { event, webhook, record, isCrowded }: Met & { readonly webhook: Webhook },
  signal: AbortSignal,
): Promise<WorkResult> {
  const pair: Pair = {
    number: 1,
    attemptsMade: 0,
    trigger: triggerOf(event),
    ...identityOf(event, record, { webhookId: webhook.id, epoch: webhook.epoch }),
  };
  return deliverPair(pair, { isFirst: true, isCrowded, content: () => Promise.resolve(event) }, signal);
}

/** A pair that has a delivery already: its work record may be missing. */
function takeUp(
  { pursuePair }: DeliverEventDependencies,
  { event, delivery, record, isCrowded }: Met & { readonly delivery: Delivery },
  signal: AbortSignal,
): Promise<WorkResult> {
  const source = { partition: record.partition, offset: record.offset, appended: record.timestamp };
  return pursuePair(
    {
      identity: identityOf(event, record, delivery),
      met: { record: 'event', trigger: triggerOf(event) },
      isCrowded,
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
): PairIdentity {
  const positions = { event: { partition, offset }, outcome: null };
  return { eventId, accountId, mode, webhookId, cycle: 0, replayId: null, epoch, positions };
}
