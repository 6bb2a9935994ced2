import { evolveDelivery, type DeliveryFact } from '../shared/domain/delivery.js';
import type { AcceptedEvent } from '../shared/domain/event.js';
import type { RecordContext } from '../shared/domain/fact.js';
import { toBinary } from '../shared/mongo/bytes.js';
import type { EventDocument } from '../shared/mongo/documents.js';
import { replayKey } from '../shared/mongo/replayCounts.js';
import { deliveryRecords } from '../shared/topics/deliveries.js';
import { decodeEvent } from '../shared/topics/events.js';
import type { Decoded, RawRecord } from '../shared/topics/record.js';
import type { Folding, Projection } from './projection.js';

/** A document for each event with a summary of its deliveries. Its two topics may arrive in either order. */
export const eventsProjection: Projection<EventDocument> = {
  name: 'events',
  unreadFields: ['data'],
  documentsOf: ({ id: accountId }) => ({ accountId }),
  read: (record) => (record.topic === 'events' ? readEvent(record) : readDelivery(record)),
};

function readEvent(record: RawRecord): Decoded<readonly Folding<EventDocument>[]> {
  const decoded = decodeEvent(record);
  return decoded.readable
    ? {
        readable: true,
        content: [
          {
            id: decoded.content.id,
            apply: (document) => withEvent(document, decoded.content, record),
          },
        ],
      }
    : decoded;
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
 * An event that stands in the log twice is the one of the lowest partition and offset, in whichever order the
 * two are read: the first to be read would be another one after a rebuild.
 */
function withEvent(
  document: EventDocument | null,
  event: AcceptedEvent,
  { partition, offset }: RawRecord,
): EventDocument {
  const source = { partition, offset };
  if (document?.source !== undefined && isBefore(document.source, source)) {
    return document;
  }
  const { id: _id, data, ...fields } = event;
  const before = document ?? { deliveries: [], positions: {} };
  return { ...before, ...fields, _id, data: toBinary(data), source };
}

interface Source {
  readonly partition: number;
  readonly offset: number;
}

function isBefore(left: Source, right: Source): boolean {
  return (
    left.partition < right.partition || (left.partition === right.partition && left.offset < right.offset)
  );
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
  const replayed = deliveries.flatMap(({ replays = [] }) => replays.map(replayKey));
  return { ...event, deliveries, ...(replayed.length > 0 && { replayed }) };
}
