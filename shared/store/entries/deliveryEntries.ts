import { isFinal, isParked, type Delivery } from '../../domain/deliveries/delivery.js';
import type { DeliveryErrorCode } from '../../domain/deliveries/deliveryFacts.js';
import { entryIdOf, type BacklogLane, type EntryDocument, type EventDocument } from '../models/documents.js';

/** Derives the entries of a document. The function is pure. */
export type EntriesOf<Model> = (document: Model) => readonly EntryDocument[];

/** The error of a delivery's last attempt. */
export interface DeliveryFailure {
  readonly code: DeliveryErrorCode;
  readonly statusCode: number | null;
}

const none: readonly EntryDocument[] = [];

/**
 * The entries of an event: one for each delivery that was not delivered. An event has no entry before its own record is
 * folded, because only then do lists contain the event.
 */
export function entriesOf(event: EventDocument): readonly EntryDocument[] {
  // Most deliveries succeed at once, so the usual result needs no memory.
  return event.deliveries.every(({ status }) => status === 'delivered') ? none : entriesOfListed(event);
}

function entriesOfListed({
  _id: eventId,
  accountId,
  mode,
  created,
  onlyWebhookId = null,
  tenantId,
  source,
  deliveries,
}: EventDocument): readonly EntryDocument[] {
  if (accountId === undefined || mode === undefined || created === undefined || source === undefined) {
    return none;
  }
  const { partition: home, offset } = source;
  const ofTenant = tenantId === undefined ? {} : { ofTenant: tenantId };
  const event = { accountId, mode, eventId, home, offset, created, onlyWebhookId, ...ofTenant };
  return deliveries
    .filter(({ status }) => status !== 'delivered')
    .map((delivery) => ({
      _id: entryIdOf(accountId, delivery.webhookId, eventId),
      positions: {},
      entry: { ...event, webhookId: delivery.webhookId, ...keysOf(delivery), delivery },
    }));
}

/** The fields of an entry that indexes contain. */
function keysOf(delivery: Delivery) {
  const { webhookId, nextAttemptAt } = delivery;
  const isScheduled = nextAttemptAt !== null && !isFinal(delivery) && !isParked(delivery);
  const failure = failureOf(delivery);
  return {
    ...(isFinal(delivery) ? {} : { open: webhookId }),
    ...(isScheduled ? { scheduled: webhookId } : {}),
    ...(failure === null ? {} : { failure: `${webhookId}/${failureKey(failure)}` }),
    ...(isParked(delivery) ? { backlog: webhookId, lane: laneOf(delivery) } : {}),
  };
}

function laneOf({ replayId }: Delivery): BacklogLane {
  return replayId === null ? '-' : 'replay';
}

/**
 * The error of a delivery that is retrying or failed; null for other deliveries. A document of an earlier version has no
 * last attempt. Its delivery has the same error.
 */
export function failureOf({ status, last, error, statusCode }: Delivery): DeliveryFailure | null {
  if (status !== 'retrying' && status !== 'failed') {
    return null;
  }
  const { errorCode = null } = last ?? {};
  if (last !== undefined && errorCode !== null) {
    return { code: errorCode, statusCode: last.statusCode };
  }
  return error === null ? null : { code: error.code, statusCode };
}

/** `<error code>/<status code>`, with `-` for an attempt without a response. */
export function failureKey({ code, statusCode }: DeliveryFailure): string {
  return `${code}/${statusCode === null ? '-' : String(statusCode)}`;
}
