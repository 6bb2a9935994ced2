import type { KafkaMessage } from 'kafkajs';

import { eventually } from './eventually.js';
import type { TestLog } from './log.js';

export interface TopicRecord extends Pick<KafkaMessage, 'key' | 'value' | 'headers'> {
  readonly partition: number;
  readonly offset: number;
}

/** All records of a topic as a plain consumer reads them, once the topic has this number of records. */
export async function readTopic(
  log: Pick<TestLog, 'kafka'>,
  topic: string,
  count: number,
): Promise<TopicRecord[]> {
  const consumer = log.kafka.consumer({ groupId: `reader-${topic}-${Math.random()}`, maxWaitTimeInMs: 100 });
  const records: TopicRecord[] = [];
  await consumer.connect();
  try {
    await consumer.subscribe({ topic, fromBeginning: true });
    await consumer.run({
      eachMessage: ({ partition, message: { key, value, headers, offset } }) => {
        records.push({
          partition,
          offset: Number(offset),
          key,
          value,
          ...(headers === undefined ? {} : { headers }),
        });
        return Promise.resolve();
      },
    });
    return await eventually(`${count} records in ${topic}`, () => (records.length >= count ? records : null));
  } finally {
    await consumer.disconnect();
  }
}
