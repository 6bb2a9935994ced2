import type { Mode } from '../../../shared/domain/core/fact.js';
import type { Delivery } from '../../../shared/domain/deliveries/delivery.js';
import { fromBinary } from '../../../shared/store/client/binary.js';
import type { EventDocument } from '../../../shared/store/models/documents.js';
import type { Page } from '../../http/paging.js';

/** The fields of an event in responses. */
export interface PublicEvent {
  readonly id: string;
  readonly type: string;
  readonly created: Date;
  /** The unchanged JSON text of `data`. */
  readonly data: Buffer;
  readonly deliveries: readonly Delivery[];
  readonly mode: Mode;
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
export function eventListJson({ items, hasMore }: Page<PublicEvent>): Buffer {
  const parts = items.flatMap((event, index) => (index === 0 ? partsOf(event) : [comma, ...partsOf(event)]));
  return Buffer.concat([Buffer.from('{"data":['), ...parts, Buffer.from(`],"hasMore":${String(hasMore)}}`)]);
}

function partsOf({ id, type, created, data, deliveries, mode }: PublicEvent): Buffer[] {
  const beginning = JSON.stringify({ id, type, created: created.toISOString() }).slice(0, -1);
  const end = JSON.stringify({ deliveries: deliveries.map(deliveryJson), mode }).slice(1);
  return [Buffer.from(`${beginning},"data":`), data, Buffer.from(`,${end}`)];
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

export interface StoredEvent extends PublicEvent {
  readonly accountId: string;
}

/**
 * The event of a document, or null while the document contains only deliveries. Deliveries may be folded before their
 * event.
 */
export function storedEvent(document: EventDocument): StoredEvent | null {
  const { _id: id, accountId, mode, type, created, data, deliveries } = document;
  return accountId === undefined ||
    mode === undefined ||
    type === undefined ||
    created === undefined ||
    data === undefined
    ? null
    : { id, accountId, mode, type, created, data: fromBinary(data), deliveries };
}
