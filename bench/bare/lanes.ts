import { setImmediate as endOfTurn } from 'node:timers/promises';

import type { Kafka } from 'kafkajs';

interface Waiting {
  readonly key: string;
  readonly value: string | Buffer;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

interface PartitionBatcher {
  readonly waiting: Waiting[];
  sending: boolean;
}

export type Append = (partition: number, key: string, value: string | Buffer) => Promise<void>;

const largestBatch = 500;
const allInSyncReplicas = -1;

/** Appends to one topic: a queue for each partition with one outstanding request, batching what waits meanwhile. */
export async function createLanes(kafka: Kafka, topic: string): Promise<Append> {
  const producer = kafka.producer({ allowAutoTopicCreation: false });
  await producer.connect();
  const lanes = new Map<number, PartitionBatcher>();

  const send = async (partition: number, lane: PartitionBatcher): Promise<void> => {
    lane.sending = true;
    await endOfTurn();
    while (lane.waiting.length > 0) {
      const batch = lane.waiting.splice(0, largestBatch);
      const messages = batch.map(({ key, value }) => ({ key, value, partition }));
      try {
        await producer.send({ topic, acks: allInSyncReplicas, messages });
        batch.forEach(({ resolve }) => resolve());
      } catch (error) {
        batch.forEach(({ reject }) => reject(error));
      }
    }
    lane.sending = false;
  };

  return (partition, key, value) =>
    new Promise((resolve, reject) => {
      const lane = lanes.get(partition) ?? { waiting: [], sending: false };
      lanes.set(partition, lane);
      lane.waiting.push({ key, value, resolve, reject });
      if (!lane.sending) {
        void send(partition, lane);
      }
    });
}
