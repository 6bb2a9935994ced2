import { setImmediate as endOfTurn } from 'node:timers/promises';

import { maximumStaleness } from '../../shared/commands/maximumStaleness.js';
import type { Delivery } from '../../shared/domain/deliveries/delivery.js';
import type { AcceptedEvent } from '../../shared/domain/events/event.js';
import type { DeliveryTenant } from '../../shared/domain/tenants/deliveryTenant.js';
import { matchesEvent } from '../../shared/domain/webhooks/matching.js';
import { filterTextOf } from '../../shared/domain/webhooks/options.js';
import type { Webhook } from '../../shared/domain/webhooks/webhook.js';
import type { Filters } from '../../shared/filters/filters.js';
import type { DeadLetters } from '../../shared/log/deadLetters/deadLetters.js';
import type { RawRecord } from '../../shared/log/encoding/record.js';
import { decodeEvent } from '../../shared/log/records/events.js';
import type { Admitted, HandleRecord, WorkResult } from '../../shared/log/window/retryingHandler.js';
import type { EndedLives } from '../../shared/tenants/endedLives.js';
import type { Deliver } from '../engine/deliver.js';
import type { DeliveryJob, DeliveryProgress } from '../engine/deliveryJob.js';
import type { AppendMatched } from '../engine/matchedLog.js';
import type { DeliveryIdentity, ResumeDelivery, ResumeInput } from '../engine/resumeDelivery.js';
import type { AccountCheck } from '../lookups/accountCheck.js';
import type { WebhookReader } from '../lookups/webhookReader.js';
import { createMatchedEvent, type MatchedEvent } from './matchedEvent.js';
import { nothingKnown, type KnownDeliveries, type PriorDeliveries } from './priorDeliveries.js';

export interface HandleEventDependencies {
  readonly accountCheck: AccountCheck;
  readonly priorDeliveries: PriorDeliveries;
  readonly webhooks: WebhookReader;
  readonly filters: Filters;
  readonly endedLives: Pick<EndedLives, 'contain'>;
  readonly deliver: Deliver;
  readonly resumeDelivery: ResumeDelivery;
  readonly appendMatched: AppendMatched;
  readonly deadLetters: DeadLetters;
}

/**
 * Delivers an event to every matching webhook, and resumes the deliveries of the event that the log already contains.
 * The record of the event is done when all deliveries of the event are done.
 *
 * If the log contains the set of deliveries, exactly these are resumed: the set does not depend on later changes of
 * webhooks. A handler that is called again for a record uses the webhooks of its first call.
 */
export function createHandleEvent(dependencies: HandleEventDependencies): HandleRecord {
  const { priorDeliveries, deliver, resumeDelivery } = dependencies;
  const matchedEvents = new WeakMap<RawRecord, MatchedEvent>();
  return async (record, signal, admitted) => {
    const event = await decodeLiveEvent(dependencies, record);
    if (event === null) {
      return 'done';
    }
    const known = await priorDeliveries(event.id, record, signal, admitted);
    if (known === null || known === 'repeated') {
      return known === null ? 'abandoned' : 'done';
    }
    const taken = { event, record, known, admitted };
    const matched = matchedEvents.get(record) ?? (await takeUp(dependencies, taken, signal));
    matchedEvents.set(record, matched);
    const { isOverShare } = admitted;
    const content = () => Promise.resolve(event);
    const result = await allEnded([
      ...newWebhooks(matched.webhooks, known).map((webhook) => () => {
        const progress = matched.progressOf(webhook.id);
        const origin = { isFirst: true, isOverShare, content, progress };
        return recordedAtEnd(deliver(firstJob(event, record, webhook), origin, signal), progress);
      }),
      ...known.deliveries.map((delivery) => () => {
        const progress = matched.progressOf(delivery.webhookId);
        // The record has the content, so the attempt does not wait until the model contains the event.
        const input = { ...resumeInput(event, record, delivery), isOverShare, content, progress };
        return recordedAtEnd(resumeDelivery(input, signal), progress);
      }),
    ]);
    return result === 'done' ? matched.settled() : result;
  };
}

interface TakenUpEvent {
  readonly event: AcceptedEvent;
  readonly record: RawRecord;
  readonly known: KnownDeliveries;
  readonly admitted: Admitted;
}

/** Reads the webhooks that match an event, unless the log contains them. */
async function takeUp(
  dependencies: HandleEventDependencies,
  { event, record, known, admitted }: TakenUpEvent,
  signal: AbortSignal,
): Promise<MatchedEvent> {
  // An event that no other process can have read was not taken up, whatever offset the group has committed. The log of
  // the partition was replaced or truncated, and contains another event at the offset.
  const isKnown = known.areComplete || (admitted.wasTakenUp && known !== nothingKnown);
  const webhooks = isKnown ? [] : await matchingWebhooks(dependencies, { event, record, admitted });
  const matching = [
    ...known.deliveries,
    ...newWebhooks(webhooks, known).map(({ id, epoch, tenancy }) => ({ webhookId: id, epoch, tenancy })),
  ];
  return createMatchedEvent({
    webhooks,
    isKnown,
    admitted,
    signal,
    webhookIds: matching.map(({ webhookId }) => webhookId),
    append: (parked) =>
      dependencies.appendMatched(
        {
          event,
          position: { partition: record.partition, offset: record.offset },
          webhooks: matching.map(({ webhookId, epoch, tenancy = null }) => ({
            webhookId,
            epoch,
            waits: parked.has(webhookId) ? 'busy' : null,
            ...(tenancy !== null && { tenancy }),
          })),
        },
        signal,
      ),
  });
}

/** Reads the webhooks that match an event. An event of a tenant that was deleted since matches none. */
async function matchingWebhooks(
  { webhooks, endedLives, filters }: HandleEventDependencies,
  { event, record, admitted }: Omit<TakenUpEvent, 'known'>,
): Promise<readonly Webhook[]> {
  if (event.tenantId !== null && (await endedLives.contain({ ...event, position: record }))) {
    return [];
  }
  // The maximum staleness ensures that this read has every webhook that was confirmed before the event was posted.
  const snapshot = await webhooks.webhooksOf(event, event.tenantId, {
    notBefore: admitted.takenAt - maximumStaleness.matching,
    notBeforeTime: record.timestamp - maximumStaleness.matching,
  });
  const matching = snapshot.webhooks.filter((webhook) => matchesEvent(webhook, event, record));
  // A test delivery names its webhook, and ignores the filter as it ignores the types.
  return event.onlyWebhookId !== null || matching.every((webhook) => filterTextOf(webhook) === null)
    ? matching
    : filters.select(matching, filterTextOf, event);
}

/** The webhooks without a delivery in the log. */
function newWebhooks(webhooks: readonly Webhook[], { deliveries }: KnownDeliveries): readonly Webhook[] {
  return webhooks.filter(({ id }) => !deliveries.some(({ webhookId }) => webhookId === id));
}

/**
 * The end of a delivery. A delivery that has not reported what the log contains was recorded before, or by another call.
 */
async function recordedAtEnd(
  delivering: Promise<WorkResult>,
  progress: DeliveryProgress,
): Promise<WorkResult> {
  const result = await delivering;
  if (result === 'done') {
    progress.recorded('ended');
  }
  return result;
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
 * Starts deliveries, each in a turn of the event loop of its own, so that the many deliveries of one event do not delay
 * other events. Waits for every delivery, even if one delivery fails. Until all deliveries have ended, the record must
 * be neither retried nor appended to the dead letters.
 * @throws the error of the first failed delivery
 */
async function allEnded(deliveries: readonly (() => Promise<WorkResult>)[]): Promise<WorkResult> {
  const started: Promise<WorkResult>[] = [];
  let turn: Promise<unknown> = Promise.resolve();
  for (const deliver of deliveries) {
    started.push(turn.then(deliver));
    turn = turn.then(() => endOfTurn());
  }
  const ends = await Promise.allSettled(started);
  const failure = ends.find((end) => end.status === 'rejected');
  if (failure !== undefined) {
    throw failure.reason;
  }
  const isAbandoned = ends.some((end) => end.status === 'fulfilled' && end.value === 'abandoned');
  return isAbandoned ? 'abandoned' : 'done';
}

function firstJob(event: AcceptedEvent, record: RawRecord, webhook: Webhook): DeliveryJob {
  const { id: webhookId, epoch, tenancy } = webhook;
  return {
    number: 1,
    attemptsMade: 0,
    trigger: triggerOf(event),
    ...identityOf(event, record, { webhookId, epoch, tenancy }),
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
  { id: eventId, accountId, mode, tenantId }: AcceptedEvent,
  { partition, offset }: RawRecord,
  { webhookId, epoch, tenancy = null }: Pick<Delivery, 'webhookId' | 'epoch'> & DeliveryTenant,
): DeliveryIdentity {
  const positions = { event: { partition, offset }, outcome: null };
  const identity = { eventId, accountId, mode, webhookId, cycle: 0, replayId: null, epoch, positions };
  return tenantId === null && tenancy === null ? identity : { ...identity, tenantId, tenancy };
}
