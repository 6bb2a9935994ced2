import kafkajs, { type IHeaders, type Kafka, type Message } from 'kafkajs';
import { ulid } from 'ulid';

import { createKafkaClient } from '../../shared/log/client/client.js';
import { createLogger } from '../../shared/core/logger.js';
import { partitionOf } from '../../shared/log/topics/partition.js';
import { eventually } from './eventually.js';
import { createOpened } from './opened.js';
import type { SharedService } from './service.js';
import { closeAtEndOfFile } from './fileResources.js';

// Node cannot import these by name.
const { CompressionCodecs, CompressionTypes } = kafkajs;

export interface FoundRecord {
  readonly topic: string;
  readonly partition: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly value: string;
}

/** The changes to a valid event. */
export interface Changed {
  readonly headers?: IHeaders;
  readonly key?: string;
  readonly value?: string | Buffer | null;
}

/** A producer of events that is not the service, with access to the records about its events. */
export interface ForeignProducer {
  /** A valid event of the account with these changes. */
  readonly messageOf: (id: string, changed?: Changed) => Message;
  /** Appends to the partition of the key, unless another one is given. */
  readonly append: (message: Message, options?: AppendOptions) => Promise<void>;
  /** The records with a key in `deliveries` or `events.dlq`. */
  readonly recordsOf: (topic: 'deliveries' | 'events.dlq', key: string) => readonly FoundRecord[];
  /** The reason for which the delivery group has rejected an event. */
  readonly refusalOf: (key: string) => Promise<string>;
  readonly close: () => Promise<void>;
}

interface AppendOptions {
  readonly partition?: number;
  /** Whether records are compressed in a format that kafkajs cannot read without a codec. */
  readonly isCompressed?: boolean;
}

export function newEventId(): string {
  return `evt_${ulid()}`;
}

export async function startForeignProducer(
  { config }: SharedService,
  accountId: string,
): Promise<ForeignProducer> {
  const { prefix, partitions } = config.topics;
  const opened = createOpened();
  const logger = createLogger({ role: 'test', level: 'silent', isTerminal: false });
  const kafka = createKafkaClient(config.kafka, { clientId: 'foreign', logger });
  CompressionCodecs[CompressionTypes.Snappy] = () => ({ compress: snappy, decompress: unread });
  const producer = kafka.producer();
  await producer.connect();
  opened.add('producer', () => producer.disconnect());
  const found = new Map<string, FoundRecord[]>();
  opened.add('reader', await collect(kafka, prefix, found));

  const recordsOf: ForeignProducer['recordsOf'] = (topic, key) =>
    (found.get(key) ?? []).filter((record) => record.topic === `${prefix}${topic}`);

  return {
    messageOf: (id, changed = {}) => messageOf(accountId, id, changed),
    append: async (message, { partition, isCompressed = false } = {}) => {
      await producer.send({
        topic: `${prefix}events`,
        acks: -1,
        compression: isCompressed ? CompressionTypes.Snappy : CompressionTypes.None,
        messages: [{ ...message, partition: partition ?? partitionOf(message.key ?? '', partitions) }],
      });
    },
    recordsOf,
    refusalOf: (key) =>
      eventually(`a dead letter of ${key}`, () => {
        const letter = recordsOf('events.dlq', key).find(
          ({ headers }) => headers['dlq_group'] === `${prefix}delivery`,
        );
        return letter?.headers['dlq_reason'] ?? null;
      }),
    close: closeAtEndOfFile(opened.releaseAll),
  };
}

function messageOf(
  accountId: string,
  id: string,
  { headers = {}, key = id, value = '{"n":1}' }: Changed,
): Message {
  const all: IHeaders = {
    ce_specversion: '1.0',
    ce_id: id,
    ce_source: `/accounts/${accountId}`,
    ce_type: 'order.completed',
    ce_time: new Date().toISOString(),
    ce_mode: 'live',
    'content-type': 'application/json',
    ...headers,
  };
  return {
    key,
    value: value === null ? null : Buffer.from(value),
    headers: Object.fromEntries(Object.entries(all).filter(([, header]) => header !== undefined)),
  };
}

/** Reads the topics from their first records. */
async function collect(
  kafka: Kafka,
  prefix: string,
  found: Map<string, FoundRecord[]>,
): Promise<() => Promise<void>> {
  const consumer = kafka.consumer({ groupId: `foreign-${Math.random()}`, maxWaitTimeInMs: 100 });
  await consumer.connect();
  await consumer.subscribe({ topics: [`${prefix}deliveries`, `${prefix}events.dlq`], fromBeginning: true });
  await consumer.run({
    eachMessage: ({ topic, partition, message }) => {
      const key = String(message.key);
      const headers = Object.entries(message.headers ?? {}).map(
        ([name, text]) => [name, String(text)] as const,
      );
      const record = { topic, partition, headers: Object.fromEntries(headers), value: String(message.value) };
      found.set(key, [...(found.get(key) ?? []), record]);
      return Promise.resolve();
    },
  });
  return () => consumer.disconnect();
}

const longestLiteral = 60;

/** The Snappy format (google/snappy, format_description.txt) without any compression: lengths and literals. */
function snappy({ buffer }: { buffer: Buffer }): Promise<Buffer> {
  const literals: Buffer[] = [];
  for (let at = 0; at < buffer.length; at += longestLiteral) {
    const literal = buffer.subarray(at, at + longestLiteral);
    literals.push(Buffer.from([(literal.length - 1) << 2]), literal);
  }
  return Promise.resolve(Buffer.concat([varint(buffer.length), ...literals]));
}

function varint(number: number): Buffer {
  const bytes: number[] = [];
  for (let rest = number; rest > 0; rest >>= 7) {
    bytes.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
  }
  return Buffer.from(bytes);
}

function unread(): never {
  throw new Error('a compressed batch was not unpacked by the brokers');
}
