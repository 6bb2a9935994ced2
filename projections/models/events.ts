import type { RecordContext } from '../../shared/domain/core/fact.js';
import { evolveDelivery, evolveMatched } from '../../shared/domain/deliveries/evolveDelivery.js';
import type { Delivery } from '../../shared/domain/deliveries/delivery.js';
import type {
  DeliveryFact,
  EventMatched,
  MatchedWebhook,
} from '../../shared/domain/deliveries/deliveryFacts.js';
import type { AcceptedEvent } from '../../shared/domain/events/event.js';
import type { Decoded, RawRecord } from '../../shared/log/encoding/record.js';
import { deliveryRecords } from '../../shared/log/records/deliveries.js';
import { decodeEvent } from '../../shared/log/records/events.js';
import { toBinary } from '../../shared/store/client/binary.js';
import type { EventDocument } from '../../shared/store/models/documents.js';
import { replayKeys } from '../../shared/store/queries/replayCounts.js';
import type { DocumentFold, Projection } from './projection.js';

/** A document for each event and its deliveries. Records of `events` and `deliveries` may arrive in either order. */
export const eventsProjection: Projection<EventDocument> = {
  name: 'events',
  unreadFields: ['data'],
  accountDocumentsFilter: ({ id: accountId }) => ({ accountId }),
  // In version 2, `replayed` contains only the replays with their outcomes, the one difference to version 3.
  conversions: { 2: (earlier) => [withReplays(earlier)] },
  read: (record) => (record.topic === 'events' ? readEvent(record) : readDelivery(record)),
};

function readEvent(record: RawRecord): Decoded<readonly DocumentFold<EventDocument>[]> {
  const decoded = decodeEvent(record);
  if (!decoded.readable) {
    return decoded;
  }
  const { partition, offset, timestamp: appended } = record;
  const source = { partition, offset, appended };
  const event = decoded.content;
  return {
    readable: true,
    content: [
      { id: event.id, createsDocument: true, apply: (document) => withEvent(document, event, source) },
    ],
  };
}

function readDelivery(record: RawRecord): Decoded<readonly DocumentFold<EventDocument>[]> {
  const decoded = deliveryRecords.decode(record);
  return decoded.readable
    ? {
        readable: true,
        content: [
          {
            id: decoded.content.context.key,
            apply: (document) => withDeliveryRecord(document, decoded.content),
          },
        ],
      }
    : decoded;
}

/**
 * Folds an event. If the log contains an event twice, the record that was appended first counts, in whichever order the
 * records are read. With this rule, a rebuild chooses the same record. A later duplicate of an event changes nothing,
 * whatever its producer and partition.
 */
function withEvent(document: EventDocument | null, event: AcceptedEvent, source: Source): EventDocument {
  if (document?.source !== undefined && isBefore(document.source, source)) {
    return document;
  }
  const { id: _id, accountId, mode, type, created, onlyWebhookId } = event;
  const fields = { _id, accountId, mode, type, created, onlyWebhookId, data: toBinary(event.data), source };
  // The new fields are spread last. V8 adds fields that are named after a spread one by one, which takes 8 µs for each
  // document instead of 1 µs.
  return document === null ? { deliveries: [], positions: {}, ...fields } : { ...document, ...fields };
}

type Source = NonNullable<EventDocument['source']>;

/**
 * Whether a record precedes another record. Two records of the same millisecond are ordered by partition and offset, so
 * the order is always the same.
 */
function isBefore(left: Source, right: Source): boolean {
  const [difference = 0] = [
    left.appended - right.appended,
    left.partition - right.partition,
    left.offset - right.offset,
  ].filter((difference) => difference !== 0);
  return difference < 0;
}

function withDeliveryRecord(
  document: EventDocument | null,
  fact: (DeliveryFact | EventMatched) & { readonly context: RecordContext },
): EventDocument {
  const { key: _id, accountId } = fact.context;
  const event = document ?? { _id, accountId, deliveries: [], positions: {} };
  if (fact.type === 'postrider.delivery.matched') {
    return { ...event, matched: true, deliveries: fact.value.webhooks.reduce(withMatched, event.deliveries) };
  }
  const deliveries = withDelivery(event.deliveries, fact.value.webhookId, (delivery) =>
    evolveDelivery(delivery, fact),
  );
  return withReplays({ ...event, deliveries });
}

function withMatched(deliveries: readonly Delivery[], webhook: MatchedWebhook): readonly Delivery[] {
  return withDelivery(deliveries, webhook.webhookId, (delivery) => evolveMatched(delivery, webhook));
}

/** The deliveries of an event after a change of one of them, or with another one. */
function withDelivery(
  deliveries: readonly Delivery[],
  webhookId: string,
  change: (delivery: Delivery | null) => Delivery,
): readonly Delivery[] {
  const index = deliveries.findIndex((delivery) => delivery.webhookId === webhookId);
  const after = change(deliveries[index] ?? null);
  return index === -1 ? [...deliveries, after] : deliveries.with(index, after);
}

function withReplays(event: EventDocument): EventDocument {
  const replayed = event.deliveries.flatMap(({ replays = [] }) => replayKeys(replays));
  return replayed.length > 0 ? { ...event, replayed } : event;
}
