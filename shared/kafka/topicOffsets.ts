import type { Admin } from 'kafkajs';

import { UnavailableError } from '../errors.js';
import { fullTopicName, type TopicName } from '../topics/names.js';

/** The end offset of each partition of a topic: the offset that its next record will get. */
export type EndOffsets = readonly number[];

export interface TopicOffsets {
  /**
   * Read from the brokers now.
   * @throws UnavailableError where they do not answer
   */
  ends: (topic: TopicName) => Promise<EndOffsets>;
}

/** Callers that ask while a request is being prepared share it: none gets an answer from before it asked. */
export function createTopicOffsets(admin: Pick<Admin, 'fetchTopicOffsets'>, prefix: string): TopicOffsets {
  const preparing = new Map<TopicName, Promise<EndOffsets>>();

  const fetchEnds = async (topic: TopicName): Promise<EndOffsets> => {
    await Promise.resolve();
    preparing.delete(topic);
    const partitions = await admin.fetchTopicOffsets(fullTopicName(prefix, topic)).catch((error: unknown) => {
      throw new UnavailableError('the log does not answer', { cause: error });
    });
    const ends: number[] = [];
    for (const { partition, high } of partitions) {
      ends[partition] = Number(high);
    }
    return ends;
  };

  return {
    ends: (topic) => {
      const request = preparing.get(topic) ?? fetchEnds(topic);
      preparing.set(topic, request);
      return request;
    },
  };
}
