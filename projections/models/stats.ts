import {
  nothingCounted,
  withAttempt,
  withEvent,
  type DeliveryCounts,
} from '../../shared/domain/deliveries/deliveryCounts.js';
import {
  partNumber,
  statsDocumentId,
  type StatsDocument,
  type StatsPart,
  type StatsSeries,
} from '../../shared/store/models/statsDocuments.js';
import type { ModelPositions } from '../../shared/store/models/generations.js';
import { deliveryRecords } from '../../shared/log/records/deliveries.js';
import { decodeEvent } from '../../shared/log/records/events.js';
import type { Decoded, RawRecord } from '../../shared/log/encoding/record.js';
import type { Folding, Projection } from './projection.js';

type StatsFoldings = Decoded<readonly Folding<StatsDocument>[]>;

const parts: readonly StatsPart[] = ['minute', 'hour'];

/** Counts of events by when they were created, and of attempts by when they were begun. */
export const statsProjection: Projection<StatsDocument> = {
  name: 'stats',
  unreadFields: [],
  fieldsOfEntries: ['parts'],
  rememberedRecords: 10_000,
  // Ids begin with the account's and a slash, behind which comes 0 in the order of ASCII.
  documentsOf: ({ id }) => ({ _id: { $gte: `${id}/`, $lt: `${id}0` } }),
  conversions: { 1: inPartitions },
  read: (record) => (record.topic === 'events' ? readEvent(record) : readDelivery(record)),
};

function readEvent(record: RawRecord): StatsFoldings {
  const decoded = decodeEvent(record);
  if (!decoded.readable) {
    return decoded;
  }
  const { accountId, mode, created } = decoded.content;
  const series = { accountId, mode, webhookId: null };
  return { readable: true, content: counting(series, { at: created, record }, withEvent) };
}

function readDelivery(record: RawRecord): StatsFoldings {
  const decoded = deliveryRecords.decode(record);
  if (!decoded.readable) {
    return decoded;
  }
  const { type, value, context } = decoded.content;
  if (type !== 'postrider.delivery.attempted') {
    return { readable: true, content: [] };
  }
  const { webhookId, number, attemptedAt } = value;
  const occasion = { at: attemptedAt, record };
  const account = { accountId: context.accountId, mode: context.mode ?? 'live', webhookId: null };
  const ofAll = (counts: DeliveryCounts) => withAttempt(counts, value);
  // The first attempt of a pair is what makes its event one of the webhook's.
  const ofWebhook = number === 1 ? (counts: DeliveryCounts) => withEvent(ofAll(counts)) : ofAll;
  return {
    readable: true,
    content: [
      ...counting(account, occasion, ofAll),
      ...counting({ ...account, webhookId }, occasion, ofWebhook),
    ],
  };
}

/** When something happened, and the record that says so. */
interface Occasion {
  readonly at: Date;
  readonly record: RawRecord;
}

/** Counts something in the minute and the hour of a time. */
function counting(
  series: StatsSeries,
  { at, record: { partition } }: Occasion,
  count: (counts: DeliveryCounts) => DeliveryCounts,
): readonly Folding<StatsDocument>[] {
  return parts.map((part) => {
    const id = statsDocumentId(series, part, at, partition);
    const number = partNumber(part, at);
    return {
      id,
      apply: (document) => {
        const before = document ?? { _id: id, positions: {}, parts: {} };
        const counts = count(before.parts[number] ?? nothingCounted);
        return { ...before, parts: { ...before.parts, [number]: counts } };
      },
    };
  });
}

/**
 * A document of version 1 counts the records of all partitions. Its counts become those of partition 0: readers add partitions up. For
 * each other partition of which it has counted records that are read again, a document without counts says up to where.
 */
function inPartitions(
  { _id, positions, parts: counted }: StatsDocument,
  folded: ModelPositions,
): readonly StatsDocument[] {
  const readFrom = new Map(Object.entries(folded));
  const sources = Object.entries(positions).map(([source, offset]) => {
    const [topic = '', partition = ''] = source.split('/');
    return { source, partition, offset, isReadAgain: offset >= (readFrom.get(topic)?.[partition] ?? 0) };
  });
  const positionsIn = (partition: string) =>
    Object.fromEntries(
      sources.filter((one) => one.partition === partition).map(({ source, offset }) => [source, offset]),
    );
  const others = sources.filter(({ partition, isReadAgain }) => partition !== '0' && isReadAgain);
  return [
    { _id: `${_id}/0`, positions: positionsIn('0'), parts: counted },
    ...[...new Set(others.map(({ partition }) => partition))].map((partition) => ({
      _id: `${_id}/${partition}`,
      positions: positionsIn(partition),
      parts: {},
    })),
  ];
}
