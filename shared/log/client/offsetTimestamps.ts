import type { Consumer, EachBatchPayload, Kafka } from 'kafkajs';

import { withLookupConsumer } from './lookupConsumer.js';

/** An offset in a topic, given by its full name. */
export interface RecordOffset {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

/**
 * The append times of the records at these offsets, in milliseconds since 1970. If a record was deleted, the time of
 * the next one. Records that the brokers do not return in time are missing.
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

/** The offsets that are still to be read, the lowest one of each partition first. */
function createWanted(places: readonly RecordOffset[]) {
  let open = places.toSorted((one, other) => one.offset - other.offset);
  const isOf = (topic: string, partition: number) => (place: RecordOffset) =>
    place.topic === topic && place.partition === partition;
  return {
    size: () => open.length,
    next: (topic: string, partition: number) => open.find(isOf(topic, partition)),
    /** The offsets that a record answers: its own, and lower ones whose records were deleted. */
    met: ({ topic, partition, offset }: RecordOffset): readonly RecordOffset[] => {
      const isAnswered = (place: RecordOffset) => isOf(topic, partition)(place) && place.offset <= offset;
      const answered = open.filter(isAnswered);
      open = answered.length === 0 ? open : open.filter((place) => !isAnswered(place));
      return answered;
    },
  };
}
