import type { Consumer, EachBatchPayload, Kafka } from 'kafkajs';

import { withLookupConsumer } from './lookupConsumer.js';

/** An offset in a partition. `topic` is the full name of the topic. */
export interface RecordOffset {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

/**
 * Reads the append times of the records at given offsets, in milliseconds since 1970. If a record was deleted, the next
 * record's append time is returned. The result omits records that the brokers do not return in time.
 */
export type OffsetTimestamps = (places: readonly RecordOffset[]) => Promise<ReadonlyMap<string, number>>;

const limitMs = 15_000;

export function nameOfRecordOffset({ topic, partition, offset }: RecordOffset): string {
  return `${topic}/${partition}/${offset}`;
}

export function createOffsetTimestamps(kafka: Kafka, prefix: string): OffsetTimestamps {
  return async (places) => {
    const found = new Map<string, number>();
    if (places.length > 0) {
      const work = (consumer: Consumer) => readAll(consumer, places, found);
      await withLookupConsumer(kafka, prefix, { settings: { maxWaitTimeInMs: 100 }, work });
    }
    return found;
  };
}

async function readAll(
  consumer: Consumer,
  places: readonly RecordOffset[],
  found: Map<string, number>,
): Promise<void> {
  const wanted = createWanted(places);
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const timer = setTimeout(finish, limitMs);
  consumer.on(consumer.events.CRASH, finish);
  const steer = (topic: string, partition: number) => {
    const next = wanted.next(topic, partition);
    if (next === undefined) {
      consumer.pause([{ topic, partitions: [partition] }]);
    } else {
      consumer.seek({ topic, partition, offset: String(next.offset) });
    }
  };
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    for (const [topic, partitions] of Object.entries(payload.memberAssignment)) {
      partitions.forEach((partition) => {
        steer(topic, partition);
      });
    }
  });
  const eachBatch = (payload: EachBatchPayload) => {
    const { topic, partition, messages } = payload.batch;
    if (!payload.isStale()) {
      for (const { offset, timestamp } of messages) {
        wanted.met({ topic, partition, offset: Number(offset) }).forEach((place) => {
          found.set(nameOfRecordOffset(place), Number(timestamp));
        });
      }
      payload.resolveOffset(payload.batch.lastOffset());
      steer(topic, partition);
    }
    if (wanted.size() === 0) {
      finish();
    }
    return Promise.resolve();
  };
  await consumer.subscribe({ topics: [...new Set(places.map(({ topic }) => topic))], fromBeginning: true });
  await consumer.run({ autoCommit: false, eachBatchAutoResolve: false, eachBatch });
  await finished;
  clearTimeout(timer);
}

/** The offsets whose append times are not read yet, in ascending order. */
function createWanted(places: readonly RecordOffset[]) {
  let open = places.toSorted((one, other) => one.offset - other.offset);
  const isOf = (topic: string, partition: number) => (place: RecordOffset) =>
    place.topic === topic && place.partition === partition;
  return {
    size: () => open.length,
    next: (topic: string, partition: number) => open.find(isOf(topic, partition)),
    /**
     * Returns the wanted offsets whose append time a fetched record gives. The record gives its own append time, and
     * stands for deleted records at lower offsets.
     */
    met: ({ topic, partition, offset }: RecordOffset): readonly RecordOffset[] => {
      const isAnswered = (place: RecordOffset) => isOf(topic, partition)(place) && place.offset <= offset;
      const answered = open.filter(isAnswered);
      open = answered.length === 0 ? open : open.filter((place) => !isAnswered(place));
      return answered;
    },
  };
}
