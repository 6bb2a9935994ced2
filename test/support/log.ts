import type { Admin, Kafka } from 'kafkajs';

import type { Config } from '../../shared/settings/config.js';
import { createKafkaClient } from '../../shared/log/client/client.js';
import { createLogProducer, type LogProducer } from '../../shared/log/producer/producer.js';
import { carryOut, planTopics } from '../../shared/log/client/topicAdministration.js';
import { createLogger, type Logger } from '../../shared/core/logger.js';
import { topicDefinitions, type TopicName } from '../../shared/log/topics/names.js';
import type { OutgoingRecord } from '../../shared/log/encoding/record.js';
import { isolatedConfig, type Settings } from './settings.js';
import { closeAtEndOfFile } from './fileResources.js';

/** A separate set of topics on the shared broker, with a producer and an admin client. */
export interface TestLog {
  readonly config: Config;
  readonly kafka: Kafka;
  readonly admin: Admin;
  readonly producer: LogProducer;
  readonly logger: Logger;
  readonly close: () => Promise<void>;
}

/** @param only the topics that the test needs, without their prefix, because each topic costs time; all topics by default */
export async function openTestLog(settings: Settings = {}, only?: readonly string[]): Promise<TestLog> {
  const config = await isolatedConfig(settings);
  const logger = createLogger({ role: 'test', level: 'silent', isTerminal: false });
  const kafka = createKafkaClient(config.kafka, { clientId: 'test', logger });
  const admin = kafka.admin();
  await admin.connect();
  const definitions = topicDefinitions(config.topics).filter(
    ({ topic }) => only === undefined || only.includes(topic.slice(config.topics.prefix.length)),
  );
  await carryOut(admin, await planTopics(admin, definitions));
  const producer = createLogProducer(kafka, {
    ...config.topics,
    deliveryTimeoutMs: 10_000,
    maximumWaitingBytes: 64 * 1024 * 1024,
  });
  await producer.connect();
  return {
    config,
    kafka,
    admin,
    producer,
    logger,
    close: closeAtEndOfFile(async () => {
      await producer.close();
      await admin.disconnect();
    }),
  };
}

/** A record without meaning, for tests of positions alone. */
export function plainRecord(topic: TopicName, key: string, value = key): OutgoingRecord {
  return { topic, key, value: Buffer.from(value), headers: {} };
}
