import type { Message, Producer, TopicMessages } from 'kafkajs';

import type { PartitionBundle, SendRequest } from './sharedRequests.js';

/** `acks: -1`. */
const allInSyncReplicas = -1;

/** Sends the bundles of several partitions, in one request for each broker that leads some of them. */
export function createSendRequest(producer: Pick<Producer, 'sendBatch'>): SendRequest {
  return async (bundles) => {
    const answers = await producer.sendBatch({
      acks: allInSyncReplicas,
      topicMessages: messagesByTopic(bundles),
    });
    return bundles.map(({ topic, partition }) => {
      // kafkajs can resolve without the answer for a partition whose leader moved during the request.
      const answer = answers.find(
        (metadata) => metadata.topicName === topic && metadata.partition === partition,
      );
      return answer?.baseOffset === undefined || answer.errorCode !== 0 ? null : Number(answer.baseOffset);
    });
  };
}

/**
 * Appends messages to one partition of a topic, given by its full name.
 * @returns the offset of the first of them, once all in-sync replicas have them
 * @throws if there is no acknowledgement; the messages may be written nevertheless
 */
export async function sendToPartition(
  producer: Pick<Producer, 'sendBatch'>,
  topic: string,
  partition: number,
  messages: readonly Message[],
): Promise<number> {
  const [offset = null] = await createSendRequest(producer)([{ topic, partition, messages, bytes: 0 }]);
  if (offset === null) {
    throw new Error(`the answer of the broker does not acknowledge partition ${partition} of ${topic}`);
  }
  return offset;
}

function messagesByTopic(bundles: readonly PartitionBundle[]): TopicMessages[] {
  const byTopic = new Map<string, Message[]>();
  for (const { topic, messages } of bundles) {
    const own = byTopic.get(topic) ?? [];
    byTopic.set(topic, own);
    own.push(...messages);
  }
  return [...byTopic].map(([topic, messages]) => ({ topic, messages }));
}
