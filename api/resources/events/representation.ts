import type { Mode } from '../../../shared/domain/core/fact.js';
import type { Delivery } from '../../../shared/domain/deliveries/delivery.js';
import type { EventValidation, PostedAttributes } from '../../../shared/domain/events/event.js';
import { fromBinary } from '../../../shared/store/client/binary.js';
import type { EventDocument } from '../../../shared/store/models/documents.js';
import { deliveryPartitionsOf } from '../../../shared/store/queries/storedDocuments.js';
import { validationMessage } from '../../eventTypes/validationErrors.js';
import type { Page } from '../../http/paging.js';
import type { SearchedSpan } from '../../scans/scannedPage.js';

/** The fields of an event in responses. */
export interface PublicEvent {
  readonly id: string;
  readonly type: string;
  readonly created: Date;
  readonly tenantId: string | null;
  /** The unchanged JSON text of `data`. */
  readonly data: Buffer;
  readonly deliveries: readonly Delivery[];
  /** Whether the set of deliveries is known. It does not change afterwards. */
  readonly deliveriesComplete: boolean;
  /** The result of the check with the schema of the type; null for an event that was not checked. */
  readonly validation: EventValidation | null;
  readonly mode: Mode;
}

/** An event in a list. `data` is null in a summary. */
export interface ListedEvent extends Omit<PublicEvent, 'data'> {
  readonly data: Buffer | null;
}

export interface ListedPage extends Page<ListedEvent> {
  readonly searched?: SearchedSpan;
}

const comma = Buffer.from(',');

/**
 * The JSON of an event. The bytes of `data` are copied without parsing, so numbers keep their digits and keys their
 * order.
 */
export function eventJson(event: PublicEvent): Buffer {
  return Buffer.concat(partsOf(event));
}

/** The JSON of a list of events. */
export function eventListJson({ items, hasMore, searched }: ListedPage): Buffer {
  const parts = items.flatMap((event, index) => (index === 0 ? partsOf(event) : [comma, ...partsOf(event)]));
  const end = JSON.stringify({ hasMore, searched: searched && searchedJson(searched) });
  return Buffer.concat([Buffer.from('{"data":['), ...parts, Buffer.from(`],${end.slice(1)}`)]);
}

/** The beginning of the JSON of a batch, before the results of its events. */
const batchStart = Buffer.from('{"data":[');
const batchEnd = Buffer.from(']}');
const resultStart = Buffer.from('{"event":');
const resultEnd = Buffer.from('}');

/** The error of an event of a batch in responses. */
export interface PublicItemError {
  readonly error: {
    readonly type: string;
    readonly code: string;
    readonly message: string;
    readonly param: string | null;
  };
}

/** The JSON of the results of a batch, in the order of its events. */
export function eventBatchJson(results: readonly (PublicEvent | PublicItemError)[]): Buffer {
  const parts = results.flatMap((result, index) => [
    ...(index === 0 ? [] : [comma]),
    ...('error' in result
      ? [Buffer.from(JSON.stringify(result))]
      : [resultStart, ...partsOf(result), resultEnd]),
  ]);
  return Buffer.concat([batchStart, ...parts, batchEnd]);
}

/** The part of a searched list in a response. */
export function searchedJson({ from, to, cursor }: SearchedSpan) {
  const span = {
    from: from?.toISOString() ?? null,
    to: to?.toISOString() ?? null,
    complete: cursor === null,
  };
  return cursor === null ? span : { ...span, cursor };
}

function partsOf(event: ListedEvent): Buffer[] {
  const { id, type, created, tenantId, data, deliveries, deliveriesComplete, validation, mode } = event;
  const beginning = JSON.stringify({ id, type, created: created.toISOString(), tenantId }).slice(0, -1);
  const end = JSON.stringify({
    deliveries: deliveries.map(deliveryJson),
    deliveriesComplete,
    validation: validation && validationJson(validation),
    mode,
  }).slice(1);
  return data === null
    ? [Buffer.from(`${beginning},${end}`)]
    : [Buffer.from(`${beginning},"data":`), data, Buffer.from(`,${end}`)];
}

function validationJson({ status, param, code }: EventValidation) {
  return { status, param, message: code === null ? null : validationMessage(code) };
}

function deliveryJson(delivery: Delivery) {
  return {
    webhookId: delivery.webhookId,
    status: delivery.status,
    statusCode: delivery.statusCode,
    deliveredAt: delivery.deliveredAt?.toISOString() ?? null,
    attemptCount: delivery.attemptCount,
    nextAttemptAt: delivery.nextAttemptAt?.toISOString() ?? null,
    error: delivery.error === null ? null : { code: delivery.error.code, message: delivery.error.message },
  };
}

type AreComplete = (document: EventDocument) => boolean;

export interface StoredEvent extends PublicEvent {
  readonly accountId: string;
  /** The only webhook that gets the event of a test delivery; null for other events. */
  readonly onlyWebhookId: string | null;
  /** Missing for an event that was not posted as a CloudEvent. */
  readonly attributes?: PostedAttributes;
  /** The offset of the event in its home partition, for an event with a tenant. */
  readonly homeOffset: number | null;
  /** The partition of all records about the event. */
  readonly home: number;
  /** The partitions of `deliveries` with records about the event. */
  readonly deliveryPartitions: readonly number[];
}

/**
 * The event of a document, or null while the document contains only deliveries. Deliveries may be folded before their
 * event.
 * @param areComplete whether the deliveries of the document are known
 */
export function storedEvent(document: EventDocument, areComplete: AreComplete): StoredEvent | null {
  const { data, home, homeOffset = null, onlyWebhookId = null, attributes } = document;
  const summary = eventSummary(document, areComplete);
  return summary === null || data === undefined
    ? null
    : {
        ...summary,
        data: fromBinary(data),
        onlyWebhookId,
        ...(attributes && { attributes }),
        home,
        homeOffset,
        deliveryPartitions: deliveryPartitionsOf(document),
      };
}

/**
 * The event of a document without its `data`, or null while the document contains only deliveries.
 * @param areComplete whether the deliveries of the document are known
 */
export function eventSummary(
  document: EventDocument,
  areComplete: AreComplete,
): (ListedEvent & Pick<StoredEvent, 'accountId'>) | null {
  const {
    _id: id,
    accountId,
    mode,
    type,
    created,
    deliveries,
    tenantId = null,
    validation = null,
  } = document;
  return accountId === undefined || mode === undefined || type === undefined || created === undefined
    ? null
    : {
        id,
        accountId,
        mode,
        type,
        created,
        tenantId,
        data: null,
        deliveries,
        validation,
        deliveriesComplete: areComplete(document),
      };
}
