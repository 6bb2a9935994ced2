import type { EachBatchPayload, Kafka } from 'kafkajs';

const commitIntervalMs = 500;
const partitionsAtOnce = 12;

/** Handles each fetched batch and commits the handled offsets every half second. Resolves when the group was joined. */
export async function consume(
  kafka: Kafka,
  { groupId, topics }: { groupId: string; topics: string[] },
  handle: (payload: EachBatchPayload) => Promise<void>,
): Promise<void> {
  const consumer = kafka.consumer({ groupId, maxWaitTimeInMs: 250, allowAutoTopicCreation: false });
  const positions = new Map<string, { topic: string; partition: number; offset: string }>();
  const joined = new Promise<void>((resolve) => {
    consumer.on(consumer.events.GROUP_JOIN, () => resolve());
  });
  await consumer.connect();
  await consumer.subscribe({ topics, fromBeginning: true });
  await consumer.run({
    autoCommit: false,
    partitionsConsumedConcurrently: partitionsAtOnce,
    eachBatch: async (payload) => {
      await handle(payload);
      const { batch } = payload;
      const { topic, partition } = batch;
      positions.set(`${topic}/${partition}`, {
        topic,
        partition,
        offset: String(Number(batch.lastOffset()) + 1),
      });
    },
  });
  setInterval(() => {
    const moved = [...positions.values()];
    positions.clear();
    void (moved.length === 0 ? null : consumer.commitOffsets(moved));
  }, commitIntervalMs);
  await joined;
}
