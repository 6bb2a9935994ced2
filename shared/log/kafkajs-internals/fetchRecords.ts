import { createRequire } from 'node:module';

import type { Broker } from 'kafkajs';

type Headers = Readonly<Record<string, Buffer | string | (Buffer | string)[] | undefined>>;

export interface FetchedRecord {
  readonly offset: number;
  readonly headers: Headers;
}

/** The committed records of one fetch. */
export interface FetchedRecords {
  readonly records: readonly FetchedRecord[];
  /** The offset after the last fetched record; null if the partition has no committed record at or above the offset. */
  readonly next: number | null;
}

interface Message {
  readonly offset: string;
  readonly headers?: Headers;
}

/** The members of kafkajs's class of a fetched batch that this module uses. */
interface Batch {
  /** The records without transaction markers and without the records of aborted transactions. */
  readonly messages: readonly Message[];
  readonly rawMessages: readonly Message[];
  readonly lastOffset: () => string;
}

type BatchClass = new (topic: string, fetchedOffset: string, partitionData: object) => Batch;

interface FetchResponse {
  readonly responses: readonly { readonly partitions: readonly object[] }[];
}

/** The isolation level of consumers: only records of committed transactions are fetched. */
const readCommitted = 1;
/** The most bytes of a fetch. A larger first batch is still returned. */
const maximumBytes = 64 * 1024;

/**
 * Fetches the records of a partition from an offset on, without a consumer group. kafkajs 2.2.4 has no public function
 * for such a fetch.
 *
 * A connection for fetches is opened by the first fetch from a broker. kafkajs loses a connection if two fetches open it
 * at once, and the lost connection stays open until the process ends. So a caller must await its first fetch from a
 * broker before it sends others.
 * @param topic the full name of the topic
 */
export async function fetchRecords(
  broker: Pick<Broker, 'fetch'>,
  {
    topic,
    partition,
    offset,
  }: { readonly topic: string; readonly partition: number; readonly offset: number },
): Promise<FetchedRecords> {
  const fetchOffset = String(offset);
  const { responses } = (await broker.fetch({
    isolationLevel: readCommitted,
    // The broker answers at once, with or without records.
    maxWaitTime: 0,
    minBytes: 1,
    maxBytes: maximumBytes,
    topics: [{ topic, partitions: [{ partition, fetchOffset, maxBytes: maximumBytes }] }],
  })) as FetchResponse;
  const batchClass = createRequire(import.meta.url)('kafkajs/src/consumer/batch.js') as BatchClass;
  const [batch] = responses
    .flatMap(({ partitions }) => partitions)
    .map((data) => new batchClass(topic, fetchOffset, data));
  return batch === undefined || batch.rawMessages.length === 0
    ? { records: [], next: null }
    : {
        records: batch.messages.map((message) => ({
          offset: Number(message.offset),
          headers: message.headers ?? {},
        })),
        next: Number(batch.lastOffset()) + 1,
      };
}
