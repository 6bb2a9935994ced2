import type { Admin } from 'kafkajs';

import { sharedNextOfKey } from '../../concurrency/sharedNext.js';
import { UnavailableError } from '../../core/errors.js';
import { fullTopicName, type TopicName } from '../topics/names.js';

/** The end offset of each partition of a topic: the offset that its next record will get. */
export type EndOffsets = readonly number[];

export interface TopicOffsets {
  /**
   * Reads the end offsets from the brokers.
   * @throws UnavailableError if the brokers do not answer
   */
  ends: (topic: TopicName) => Promise<EndOffsets>;
}

export interface TopicBounds extends TopicOffsets {
  /**
   * Reads the log start offset of each partition. In a partition without records, the log start offset equals the end
   * offset.
   * @throws UnavailableError if the brokers do not answer
   */
  beginnings: (topic: TopicName) => Promise<readonly number[]>;
}

interface Bounds {
  readonly beginnings: readonly number[];
  readonly ends: EndOffsets;
}

/**
 * Reads log start offsets and end offsets. Each answer is newer than its call, and calls for one topic share requests.
 */
export function createTopicOffsets(admin: Pick<Admin, 'fetchTopicOffsets'>, prefix: string): TopicBounds {
  const share = sharedNextOfKey<Bounds>();

  const fetchBounds = async (topic: TopicName): Promise<Bounds> => {
    const partitions = await admin.fetchTopicOffsets(fullTopicName(prefix, topic)).catch((error: unknown) => {
      throw new UnavailableError('Kafka does not respond', { cause: error });
    });
    const beginnings: number[] = [];
    const ends: number[] = [];
    for (const { partition, low, high } of partitions) {
      beginnings[partition] = Number(low);
      ends[partition] = Number(high);
    }
    return { beginnings, ends };
  };

  const boundsOf = (topic: TopicName) => share(topic, () => fetchBounds(topic));

  return {
    ends: async (topic) => (await boundsOf(topic)).ends,
    beginnings: async (topic) => (await boundsOf(topic)).beginnings,
  };
}
