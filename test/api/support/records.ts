import type { Consumer } from 'kafkajs';

import { createLogger } from '../../../shared/core/logger.js';
import { createKafkaClient } from '../../../shared/log/client/client.js';
import { fullTopicName, type TopicName } from '../../../shared/log/topics/names.js';
import { eventually } from '../../support/eventually.js';
import type { TestService } from '../../support/service.js';

/** A record of a topic as a consumer receives it. */
export interface SeenRecord {
  /** `ce_id` */
  readonly id: string;
  readonly type: string;
  readonly at: string;
  readonly key: string;
  readonly value: string;
  /** The headers with the attributes of a posted CloudEvent, by the names of the attributes. */
  readonly posted: Readonly<Record<string, string>>;
}

/** A consumer that reads topics of a service. */
export interface LogReader {
  /** All records of a topic with this key that are in the log now. */
  recordsOf: (topic: TopicName, key: string) => Promise<readonly SeenRecord[]>;
  /** All records of a topic whose value contains this text. */
  recordsWith: (topic: TopicName, text: string) => Promise<readonly SeenRecord[]>;
  close: () => Promise<void>;
}

/** Follows topics from their first record on. */
export async function openLogReader(
  { config }: Pick<TestService, 'config'>,
  topics: readonly TopicName[],
): Promise<LogReader> {
  const { prefix } = config.topics;
  const logger = createLogger({ role: 'test', level: 'silent', isTerminal: false });
  const kafka = createKafkaClient(config.kafka, { clientId: 'test', logger });
  const admin = kafka.admin();
  await admin.connect();
  const consumer = kafka.consumer({ groupId: `${prefix}reader-${Math.random()}`, maxWaitTimeInMs: 50 });
  const seen = new Map<string, SeenRecord[]>();
  const reached = new Map<string, number>();
  await consumer.connect();
  await consumer.subscribe({
    topics: topics.map((name) => fullTopicName(prefix, name)),
    fromBeginning: true,
  });
  await streamEvents(consumer, seen, reached);

  const allOf = async (name: TopicName) => {
    const topic = fullTopicName(prefix, name);
    const ends = await admin.fetchTopicOffsets(topic);
    await eventually(`the end of ${topic}`, () =>
      ends.every(({ partition, high }) => (reached.get(`${topic}/${partition}`) ?? 0) >= Number(high))
        ? true
        : null,
    );
    return seen.get(topic) ?? [];
  };

  return {
    recordsOf: async (topic, key) => (await allOf(topic)).filter((record) => record.key === key),
    recordsWith: async (topic, text) => (await allOf(topic)).filter(({ value }) => value.includes(text)),
    close: async () => {
      await consumer.disconnect();
      await admin.disconnect();
    },
  };
}

const postedPrefix = 'ce_posted';

async function streamEvents(
  consumer: Consumer,
  seen: Map<string, SeenRecord[]>,
  reached: Map<string, number>,
): Promise<void> {
  await consumer.run({
    eachMessage: ({ topic, partition, message: { key, value, headers, offset } }) => {
      const header = (name: string) => String(headers?.[name] ?? '');
      const record = {
        id: header('ce_id'),
        type: header('ce_type'),
        at: header('ce_time'),
        key: String(key),
        value: String(value),
        posted: Object.fromEntries(
          Object.entries(headers ?? {})
            .filter(([name]) => name.startsWith(postedPrefix))
            .map(([name, text]) => [name.slice(postedPrefix.length), String(text)]),
        ),
      };
      seen.set(topic, [...(seen.get(topic) ?? []), record]);
      reached.set(`${topic}/${partition}`, Number(offset) + 1);
      return Promise.resolve();
    },
  });
}
