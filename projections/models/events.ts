import { evolveDelivery, type DeliveryFact } from '../../shared/domain/deliveries/delivery.js';
import type { AcceptedEvent } from '../../shared/domain/events/event.js';
import type { RecordContext } from '../../shared/domain/core/fact.js';
import { toBinary } from '../../shared/store/client/binary.js';
import type { EventDocument } from '../../shared/store/models/documents.js';
import { replayKeys } from '../../shared/store/queries/replayCounts.js';
import { deliveryRecords } from '../../shared/log/records/deliveries.js';
import { decodeEvent } from '../../shared/log/records/events.js';
import type { Decoded, RawRecord } from '../../shared/log/encoding/record.js';
import type { Folding, Projection } from './projection.js';

/** A document for each event with a summary of its deliveries. Its two topics may arrive in either order. */
export const eventsProjection: Projection<EventDocument> = {
  name: 'events',
  unreadFields: ['data'],
  documentsOf: ({ id: accountId }) => ({ accountId }),
  // Version 2 names the replays of an event with their outcomes only. Its other fields are the same.
  conversions: { 2: (earlier) => [withReplays(earlier)] },
  read: (record) => (record.topic === 'events' ? readEvent(record) : readDelivery(record)),
};

function readEvent(record: RawRecord): Decoded<readonly Folding<EventDocument>[]> {
  const decoded = decodeEvent(record);
  if (!decoded.readable) {
    return decoded;
  }
  const { partition, offset, timestamp: appended } = record;
  const source = { partition, offset, appended };
  const event = decoded.content;
  return {
    readable: true,
    content: [{ id: event.id, begins: true, apply: (document) => withEvent(document, event, source) }],
  };
}

function readDelivery(record: RawRecord): Decoded<readonly Folding<EventDocument>[]> {
  const decoded = deliveryRecords.decode(record);
  return decoded.readable
    ? {
        readable: true,
        content: [
          {
            id: decoded.content.context.key,
            apply: (document) => withDelivery(document, decoded.content),
          },
        ],
      }
    : decoded;
}

/**
 * An event that stands in the log twice is the one that was appended first, in whichever order the two are read: the first to
 * be read would be another one after a rebuild. A later one, of whatever producer and in whatever partition, changes nothing.
 */
function withEvent(document: EventDocument | null, event: AcceptedEvent, source: Source): EventDocument {
  if (document?.source !== undefined && isBefore(document.source, source)) {
    return document;
  }
  const { id: _id, accountId, mode, type, created, onlyWebhookId } = event;
  const fields = { _id, accountId, mode, type, created, onlyWebhookId, data: toBinary(event.data), source };
  // Spread last: where more than a few fields are named behind a spread, V8 adds them one by one, and a document takes 8 µs instead of 1.
  return document === null ? { deliveries: [], positions: {}, ...fields } : { ...document, ...fields };
}

type Source = NonNullable<EventDocument['source']>;

/** Two that were appended in the same millisecond have an order too, and always the same. */
function isBefore(left: Source, right: Source): boolean {
  const [apart = 0] = [
    left.appended - right.appended,
    left.partition - right.partition,
    left.offset - right.offset,
  ].filter((difference) => difference !== 0);
  return apart < 0;
}

function withDelivery(
  document: EventDocument | null,
  fact: DeliveryFact & { readonly context: RecordContext },
): EventDocument {
  const { key: _id, accountId } = fact.context;
  const event = document ?? { _id, accountId, deliveries: [], positions: {} };
  const { webhookId } = fact.value;
  const before = event.deliveries.find((delivery) => delivery.webhookId === webhookId) ?? null;
  const after = evolveDelivery(before, fact);
  const deliveries =
    before === null
      ? [...event.deliveries, after]
      : event.deliveries.map((delivery) => (delivery === before ? after : delivery));
  return withReplays({ ...event, deliveries });
}

function withReplays(event: EventDocument): EventDocument {
  const replayed = event.deliveries.flatMap(({ replays = [] }) => replayKeys(replays));
  return replayed.length > 0 ? { ...event, replayed } : event;
}
