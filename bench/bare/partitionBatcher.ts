import { setImmediate as endOfTurn } from 'node:timers/promises';

import type { Kafka } from 'kafkajs';

interface Waiting {
  readonly key: string;
  readonly value: string | Buffer;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

interface Queue {
  readonly waiting: Waiting[];
  sending: boolean;
}

export type Append = (partition: number, key: string, value: string | Buffer) => Promise<void>;

const largestBatch = 500;
const allInSyncReplicas = -1;

/** Appends to one topic. Each partition has one request in flight, and a queue that becomes the next batch. */
export async function createPartitionBatcher(kafka: Kafka, topic: string): Promise<Append> {
  const producer = kafka.producer({ allowAutoTopicCreation: false });
  await producer.connect();
  const queues = new Map<number, Queue>();

  const send = async (partition: number, queue: Queue): Promise<void> => {
    queue.sending = true;
    await endOfTurn();
    while (queue.waiting.length > 0) {
      const batch = queue.waiting.splice(0, largestBatch);
      const messages = batch.map(({ key, value }) => ({ key, value, partition }));
      try {
        await producer.send({ topic, acks: allInSyncReplicas, messages });
        batch.forEach(({ resolve }) => resolve());
      } catch (error) {
        batch.forEach(({ reject }) => reject(error));
      }
    }
    queue.sending = false;
  };

  return (partition, key, value) =>
    new Promise((resolve, reject) => {
      const queue = queues.get(partition) ?? { waiting: [], sending: false };
      queues.set(partition, queue);
      queue.waiting.push({ key, value, resolve, reject });
      if (!queue.sending) {
        void send(partition, queue);
      }
    });
}
