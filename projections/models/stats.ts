import {
  nothingCounted,
  withAttempt,
  withEvent,
  type DeliveryCounts,
} from '../../shared/domain/deliveries/deliveryCounts.js';
import type { Decoded, RawRecord } from '../../shared/log/encoding/record.js';
import { deliveryRecords } from '../../shared/log/records/deliveries.js';
import { decodeEvent } from '../../shared/log/records/events.js';
import type { ModelPositions } from '../../shared/store/models/generations.js';
import {
  partNumber,
  statsDocumentId,
  type StatsDocument,
  type StatsPart,
  type StatsSeries,
} from '../../shared/store/models/statsDocuments.js';
import type { DocumentFold, Projection } from './projection.js';

type StatsFolds = Decoded<readonly DocumentFold<StatsDocument>[]>;

const parts: readonly StatsPart[] = ['minute', 'hour'];

/** Counts of events by the time of their creation, and of attempts by the time of their start. */
export const statsProjection: Projection<StatsDocument> = {
  name: 'stats',
  unreadFields: [],
  fieldsOfEntries: ['parts'],
  deduplicationWindow: 10_000,
  // The ids of an account's documents begin with the account id and a slash. In ASCII, 0 follows the slash.
  accountDocumentsFilter: ({ id }) => ({ _id: { $gte: `${id}/`, $lt: `${id}0` } }),
  conversions: { 1: splitByPartition },
  read: (record) => (record.topic === 'events' ? readEvent(record) : readDelivery(record)),
};

function readEvent(record: RawRecord): StatsFolds {
  const decoded = decodeEvent(record);
  if (!decoded.readable) {
    return decoded;
  }
  const { accountId, mode, created } = decoded.content;
  const series = { accountId, mode, webhookId: null };
  return { readable: true, content: countFolds(series, { at: created, record }, withEvent) };
}

function readDelivery(record: RawRecord): StatsFolds {
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
  const countAttempt = (counts: DeliveryCounts) => withAttempt(counts, value);
  // The first attempt of a delivery counts the event for its webhook.
  const countForWebhook =
    number === 1 ? (counts: DeliveryCounts) => withEvent(countAttempt(counts)) : countAttempt;
  return {
    readable: true,
    content: [
      ...countFolds(account, occasion, countAttempt),
      ...countFolds({ ...account, webhookId }, occasion, countForWebhook),
    ],
  };
}

/** The time and the record of a counted event or attempt. */
interface Occasion {
  readonly at: Date;
  readonly record: RawRecord;
}

/** Counts an event or an attempt in its minute and its hour. */
function countFolds(
  series: StatsSeries,
  { at, record: { partition } }: Occasion,
  count: (counts: DeliveryCounts) => DeliveryCounts,
): readonly DocumentFold<StatsDocument>[] {
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
 * Converts a document of version 1, which counts the records of all partitions. The counts move to partition 0, because
 * readers add up the partitions. Some of the counted records are read again. For each partition with such records, a
 * document without counts stores the position up to which the records are ignored.
 */
function splitByPartition(
  { _id, positions, parts }: StatsDocument,
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
    { _id: `${_id}/0`, positions: positionsIn('0'), parts },
    ...[...new Set(others.map(({ partition }) => partition))].map((partition) => ({
      _id: `${_id}/${partition}`,
      positions: positionsIn(partition),
      parts: {},
    })),
  ];
}
