import type { Consumer } from 'kafkajs';

import { createLogger } from '../../../shared/core/logger.js';
import { createKafkaClient } from '../../../shared/log/client/client.js';
import { fullTopicName, type TopicName } from '../../../shared/log/topics/names.js';
import { eventually } from '../../support/eventually.js';
import { closeAtEndOfFile, fileBeganAt } from '../../support/fileResources.js';
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
  /** All records of a topic since the start of the test file with this key that are in the log now. */
  recordsOf: (topic: TopicName, key: string) => Promise<readonly SeenRecord[]>;
  /** All records of a topic since the start of the test file whose value contains this text. */
  recordsWith: (topic: TopicName, text: string) => Promise<readonly SeenRecord[]>;
  close: () => Promise<void>;
}

/** The time by which clocks of records may differ, in milliseconds. */
const toleranceMs = 1000;

/** Follows topics from the start of the test file on, because those of the shared service contain the records of all other tests too. */
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
  const fullNames = topics.map((name) => fullTopicName(prefix, name));
  await consumer.connect();
  await consumer.subscribe({ topics: fullNames, fromBeginning: false });
  await streamEvents(consumer, seen, reached);
  for (const topic of fullNames) {
    const starts = await admin.fetchTopicOffsetsByTimestamp(topic, fileBeganAt() - toleranceMs);
    for (const { partition, offset } of starts) {
      reached.set(`${topic}/${partition}`, Number(offset));
      consumer.seek({ topic, partition, offset });
    }
  }

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
    close: closeAtEndOfFile(async () => {
      await consumer.disconnect();
      await admin.disconnect();
    }),
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
      const others = seen.get(topic);
      if (others === undefined) {
        seen.set(topic, [record]);
      } else {
        others.push(record);
      }
      reached.set(`${topic}/${partition}`, Number(offset) + 1);
      return Promise.resolve();
    },
  });
}
