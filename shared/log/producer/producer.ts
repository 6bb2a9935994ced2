import type { Kafka, Message, Producer } from 'kafkajs';

import { UnavailableError } from '../../core/errors.js';
import type { OutgoingRecord, RecordPosition, Tombstone } from '../encoding/record.js';
import { fullTopicName } from '../topics/names.js';
import { partitionOf } from '../topics/partition.js';
import {
  createPartitionBatcher,
  type AppendOptions,
  type PartitionBatcher,
  type PartitionBatcherSettings,
} from './partitionBatcher.js';
import { createPartitionLeaders } from './partitionLeaders.js';
import { createSharedRequests, createSendRequest } from './sharedRequests.js';

export type TogetherAppended = readonly [OutgoingRecord | Tombstone, ...(OutgoingRecord | Tombstone)[]];

/** Appends records to the log. An append resolves when all in-sync replicas have the record. */
export interface LogAppender {
  /**
   * @returns the position of the record
   * @throws UnknownOutcomeError if no broker acknowledged the record in time; the record may be in the log, now or
   *   later
   * @throws UnavailableError if no request was started; the record is never written
   */
  append: (record: OutgoingRecord | Tombstone, options?: AppendOptions) => Promise<RecordPosition>;
  /** Appends records of one topic and one partition in their order, in one request. */
  appendTogether: (records: TogetherAppended, options?: AppendOptions) => Promise<RecordPosition>;
}

/** An appender with its own limits, on a connection that several appenders may share. */
export interface LimitedAppender extends LogAppender {
  /** Resolves when the appender has no request in flight. */
  idle: () => Promise<void>;
}

export interface LogProducer extends LogAppender {
  connect: () => Promise<void>;
  /** Waits for the requests in flight, then disconnects the producer. */
  close: () => Promise<void>;
}

export interface LogProducerSettings {
  readonly prefix: string;
  /** The number of partitions of every topic. */
  readonly partitions: number;
  readonly deliveryTimeoutMs: number;
  /** The maximum number of unacknowledged bytes of keys, values and headers. */
  readonly maximumWaitingBytes: number;
}

const laneDefaults: Omit<PartitionBatcherSettings, 'deliveryTimeoutMs'> = {
  maximumBatchMessages: 500,
  maximumBatchBytes: 900 * 1024,
  retryPauseMs: 100,
};

/** The approximate overhead in bytes of kafkajs and the record format for a record. */
const recordOverheadBytes = 80;

/**
 * The log producer, the only way to append records. Each partition has a batcher with one bundle in flight. Bundles for
 * partitions of one broker share a request. The retries of kafkajs are disabled, because they retain earlier answers
 * and would skip a partition whose leader moved. The idempotent mode of kafkajs is disabled too. In idempotent mode, a
 * lost answer can make the broker take a new batch for a repeated batch. The broker would then acknowledge records that
 * it never wrote.
 */
export function createLogProducer(kafka: Kafka, settings: LogProducerSettings): LogProducer {
  const producer = createLogConnection(kafka);
  const { idle, ...appender } = createLogAppender({ kafka, producer }, settings);
  return {
    ...appender,
    connect: () => producer.connect(),
    close: async () => {
      await idle();
      await producer.disconnect();
    },
  };
}

/** The kafkajs producer of a log producer. Its caller must connect it before the first append. */
export function createLogConnection(kafka: Kafka): Producer {
  return kafka.producer({ allowAutoTopicCreation: false, retry: { retries: 0 } });
}

/** A log producer whose connection belongs to the caller. */
export function createLogAppender(
  { kafka, producer }: { readonly kafka: Kafka; readonly producer: Producer },
  settings: LogProducerSettings,
): LimitedAppender {
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

  const appendTogether: LogAppender['appendTogether'] = async (records, options) => {
    const [{ topic, key, partition = partitionOf(key, settings.partitions) }] = records;
    const bytes = records.reduce((sum, record) => sum + sizeOf(record), 0);
    if (waitingBytes + bytes > settings.maximumWaitingBytes) {
      throw new UnavailableError('too many records are waiting to be appended to Kafka');
    }
    waitingBytes += bytes;
    try {
      const batcher = laneOf(fullTopicName(settings.prefix, topic), partition);
      const messages = records.map((record) => toMessage(record, partition));
      return { topic, partition, offset: await batcher.append({ messages, bytes }, options) };
    } finally {
      waitingBytes -= bytes;
    }
  };

  return {
    append: (record, options) => appendTogether([record], options),
    appendTogether,
    idle: async () => {
      await Promise.all([...lanes.values()].map((batcher) => batcher.idle()));
    },
  };
}

/**
 * Requests the leader of each partition of a topic. Each request opens a connection, because leaders change too rarely
 * for a permanent connection.
 */
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

/** The approximate size of a record in the log, in bytes. Headers may contain text beyond ASCII. */
export function sizeOf({ key, value, headers }: OutgoingRecord | Tombstone): number {
  const headerBytes = Object.entries(headers).reduce(
    (sum, [name, text]) => sum + name.length + Buffer.byteLength(text) + 2,
    0,
  );
  return key.length + (value?.length ?? 0) + headerBytes + recordOverheadBytes;
}
