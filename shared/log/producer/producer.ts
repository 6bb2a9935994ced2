import type { Kafka, Message } from 'kafkajs';

import { UnavailableError } from '../../core/errors.js';
import { fullTopicName } from '../topics/names.js';
import { partitionOf } from '../topics/partition.js';
import type { OutgoingRecord, RecordPosition, Tombstone } from '../encoding/record.js';
import {
  createPartitionBatcher,
  type PartitionBatcher,
  type PartitionBatcherSettings,
} from './partitionBatcher.js';
import { createPartitionLeaders } from './partitionLeaders.js';
import { createSendRequest } from './sendRequest.js';
import { createSharedRequests } from './sharedRequests.js';

export interface AppendOptions {
  /** By `performance.now()`: no request is begun after it, and the append is given up. */
  readonly deadline?: number;
}

export type TogetherAppended = readonly [OutgoingRecord | Tombstone, ...(OutgoingRecord | Tombstone)[]];

/** Appends records to the log. An append that has resolved is on all in-sync replicas. */
export interface LogAppender {
  /**
   * @returns the position of the record
   * @throws UnknownOutcomeError if the log gave no acknowledgement in time; the record may be in the log, now or later
   * @throws UnavailableError if no request was begun; the record is never written
   */
  append: (record: OutgoingRecord | Tombstone, options?: AppendOptions) => Promise<RecordPosition>;
  /** Appends records of one topic and one partition together: all of them, in this order, in one request. */
  appendTogether: (records: TogetherAppended, options?: AppendOptions) => Promise<RecordPosition>;
}

export interface LogProducer extends LogAppender {
  connect: () => Promise<void>;
  /** Waits for what is under way, then disconnects. */
  close: () => Promise<void>;
}

export interface LogProducerSettings {
  readonly prefix: string;
  /** Partitions of every topic. */
  readonly partitions: number;
  readonly deliveryTimeoutMs: number;
  /** What may wait for acknowledgement in the whole process, in bytes of keys, values and headers. */
  readonly maximumWaitingBytes: number;
}

const laneDefaults: Omit<PartitionBatcherSettings, 'deliveryTimeoutMs'> = {
  maximumBatchMessages: 500,
  maximumBatchBytes: 900 * 1024,
  retryPauseMs: 100,
};

/** What kafkajs and the record format add to a record, roughly. */
const recordOverheadBytes = 80;

/**
 * The one way into the log: a lane for each partition, with one outstanding bundle each. What lanes have at the same time
 * for partitions of one broker shares a request. The client's own retries are not used: they keep the answers that came
 * before, and a partition that has moved meanwhile would be passed over. The client's idempotent mode is not used: with it, a lost answer can make the broker take a new batch for a
 * repeated one and acknowledge what it never wrote.
 */
export function createLogProducer(kafka: Kafka, settings: LogProducerSettings): LogProducer {
  const producer = kafka.producer({ allowAutoTopicCreation: false, retry: { retries: 0 } });
  const leaders = createPartitionLeaders((topic) => fetchLeaders(kafka, topic));
  const send = createSharedRequests(createSendRequest(producer), leaders);
  const lanes = new Map<string, PartitionBatcher<Message>>();
  let waitingBytes = 0;

  const laneOf = (topic: string, partition: number): PartitionBatcher<Message> => {
    const name = `${topic}/${partition}`;
    const existing = lanes.get(name);
    if (existing !== undefined) {
      return existing;
    }
    const batcher = createPartitionBatcher<Message>((bundle) => send({ topic, partition, ...bundle }), {
      ...laneDefaults,
      deliveryTimeoutMs: settings.deliveryTimeoutMs,
    });
    lanes.set(name, batcher);
    return batcher;
  };

  const appendTogether: LogAppender['appendTogether'] = async (records, { deadline } = {}) => {
    const [{ topic, key, partition = partitionOf(key, settings.partitions) }] = records;
    const bytes = records.reduce((sum, record) => sum + sizeOf(record), 0);
    if (waitingBytes + bytes > settings.maximumWaitingBytes) {
      throw new UnavailableError('too many records are waiting to be written to the log');
    }
    waitingBytes += bytes;
    try {
      const batcher = laneOf(fullTopicName(settings.prefix, topic), partition);
      const messages = records.map((record) => toMessage(record, partition));
      return { topic, partition, offset: await batcher.append({ messages, bytes }, deadline) };
    } finally {
      waitingBytes -= bytes;
    }
  };

  return {
    connect: () => producer.connect(),
    append: (record, options) => appendTogether([record], options),
    appendTogether,
    close: async () => {
      await Promise.all([...lanes.values()].map((batcher) => batcher.idle()));
      await producer.disconnect();
    },
  };
}

/** By partition. The connection is for this alone: leaders change so seldom that none is worth keeping for it. */
async function fetchLeaders(kafka: Kafka, topic: string): Promise<ReadonlyMap<number, number>> {
  const admin = kafka.admin();
  try {
    await admin.connect();
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    const partitions = topics.flatMap((metadata) => metadata.partitions);
    return new Map(partitions.map(({ partitionId, leader }) => [partitionId, leader]));
  } finally {
    await admin.disconnect();
  }
}

function toMessage({ key, value, headers }: OutgoingRecord | Tombstone, partition: number): Message {
  return { key, value, headers, partition };
}

function sizeOf({ key, value, headers }: OutgoingRecord | Tombstone): number {
  const headerBytes = Object.entries(headers).reduce(
    (sum, [name, text]) => sum + name.length + text.length + 2,
    0,
  );
  return key.length + (value?.length ?? 0) + headerBytes + recordOverheadBytes;
}
