import type { Message, Producer } from 'kafkajs';

/** `acks: -1`. */
const allInSyncReplicas = -1;

/**
 * Appends messages to one partition of a topic, given by its full name.
 * @returns the offset of the first of them, once all in-sync replicas have them
 * @throws where there is no acknowledgement; the messages may be written all the same
 */
export async function sendToPartition(
  producer: Pick<Producer, 'send'>,
  topic: string,
  partition: number,
  messages: readonly Message[],
): Promise<number> {
  const answers = await producer.send({ topic, acks: allInSyncReplicas, messages: [...messages] });
  // kafkajs can resolve without an answer for a partition whose leader moved while it was sending.
  const answer = answers.find((metadata) => metadata.topicName === topic && metadata.partition === partition);
  if (answer?.baseOffset === undefined || answer.errorCode !== 0) {
    throw new Error(`the answer of the broker does not acknowledge partition ${partition} of ${topic}`);
  }
  return Number(answer.baseOffset);
}
