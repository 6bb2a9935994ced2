import { nothingCounted, withAttempt, withEvent } from '../../shared/domain/deliveries/deliveryCounts.js';
import { everyTenant } from '../../shared/domain/tenants/tenantId.js';
import type { RawRecord } from '../../shared/log/encoding/record.js';
import { deliveryRecords } from '../../shared/log/records/deliveries.js';
import { decodeEvent } from '../../shared/log/records/events.js';
import type { ModelPositions } from '../../shared/store/models/generations.js';
import {
  partNumber,
  statsDocumentId,
  statsSeries,
  type CountedOffsets,
  type StatsDocument,
  type StatsPart,
  type StatsPartCounts,
  type StatsSeries,
  type StatsSeriesName,
} from '../../shared/store/models/statsDocuments.js';
import { readWith, type DocumentFold, type Projection } from './projection.js';

const parts: readonly StatsPart[] = ['minute', 'hour'];

/**
 * Counts of events by the time of their creation, and of attempts by the time of their start. Documents of version 2
 * contain no tenants, and have the same series as documents without tenants in version 3.
 */
export const statsProjection: Projection<StatsDocument> = {
  name: 'stats',
  fieldsOfEntries: ['parts'],
  deduplicationWindow: 10_000,
  // The ids of an account's documents begin with the account id and a slash. In ASCII, 0 follows the slash.
  accountDocumentsFilter: (id) => ({ _id: { $gte: `${id}/`, $lt: `${id}0` } }),
  conversions: { 1: splitByPartition, 2: (document) => [document] },
  read: (record) => (record.topic === 'events' ? readEvent(record) : readDelivery(record)),
};

const readEvent = readWith(decodeEvent, ({ accountId, mode, created, tenantId }, record) => {
  const occasion = { owner: { accountId, mode }, at: created, record };
  const ofTenant =
    tenantId === null
      ? []
      : [
          ...countFolds(occasion, statsSeries.assigned, withEvent),
          ...countFolds(occasion, statsSeries.ofTenant(tenantId), (counts) => ({
            ...withEvent(counts),
            offsets: withOffset(counts.offsets, record.offset),
          })),
        ];
  return [...countFolds(occasion, statsSeries.all, withEvent), ...ofTenant];
});

const readDelivery = readWith(deliveryRecords.decode, ({ type, value, context }, record) => {
  if (type !== 'postrider.delivery.attempted') {
    return [];
  }
  const { webhookId, number, attemptedAt } = value;
  const { accountId, mode, tenancy = null } = context;
  const occasion = { owner: { accountId, mode: mode ?? 'live' }, at: attemptedAt, record };
  const countAttempt: Count = (counts) => withAttempt(counts, value);
  // The first attempt of a delivery counts the event for its webhook.
  const countForWebhook: Count = number === 1 ? (counts) => withEvent(countAttempt(counts)) : countAttempt;
  return [
    ...[statsSeries.all, ...seriesOf(tenancy)].flatMap((name) => countFolds(occasion, name, countAttempt)),
    ...countFolds(occasion, webhookId, countForWebhook),
  ];
});

/** The further series of the attempts of a webhook with a tenancy. No request selects the webhooks of every tenant. */
function seriesOf(tenancy: string | null): readonly StatsSeriesName[] {
  if (tenancy === null) {
    return [];
  }
  return tenancy === everyTenant
    ? [statsSeries.assigned]
    : [statsSeries.assigned, statsSeries.ofLife(tenancy)];
}

type Count = (counts: StatsPartCounts) => StatsPartCounts;

function withOffset(offsets: CountedOffsets | undefined, offset: number): CountedOffsets {
  const { lowest, highest } = offsets ?? { lowest: offset, highest: offset };
  return { lowest: Math.min(lowest, offset), highest: Math.max(highest, offset) };
}

/** The owner, the time and the record of a counted event or attempt. */
interface Occasion {
  readonly owner: Pick<StatsSeries, 'accountId' | 'mode'>;
  readonly at: Date;
  readonly record: RawRecord;
}

/** Counts an event or an attempt in its minute and its hour. */
function countFolds(
  { owner, at, record: { partition } }: Occasion,
  name: StatsSeriesName,
  count: Count,
): readonly DocumentFold<StatsDocument>[] {
  return parts.map((part) => {
    const id = statsDocumentId({ ...owner, name }, part, at, partition);
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
