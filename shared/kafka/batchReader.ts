import type { EachBatchPayload } from 'kafkajs';

import type { TopicName } from '../topics/names.js';
import type { RawRecord } from '../topics/record.js';
import type { GoneRecords } from './goneRecords.js';
import type { ReadPositions } from './readPositions.js';
import type { TopicPartition, TopicPartitionOffset } from './topicPartition.js';

type Batch = EachBatchPayload['batch'];

export interface BatchReaderDependencies {
  /** The topics that are read, by the names that the brokers know them by. */
  readonly topics: ReadonlyMap<string, TopicName>;
  readonly positions: ReadPositions;
  readonly goneRecords: Pick<GoneRecords, 'reportSince'>;
  /** Takes records of one partition, in order, and says which was the last one taken, or null for none. */
  readonly take: (partition: TopicPartition, records: readonly RawRecord[]) => Promise<number | null>;
  /** Called where the log is not the one that was read before. */
  readonly lose: (error: Error) => void;
}

/** Hands fetched batches over and moves the fetch position over what was taken, and over nothing else. */
export function createBatchReader(
  dependencies: BatchReaderDependencies,
): (payload: EachBatchPayload) => Promise<void> {
  const { topics, positions, goneRecords, take, lose } = dependencies;

  /** Whether reading goes on with a batch that begins here. */
  const continues = (topic: string, first: TopicPartitionOffset): boolean => {
    const continuation = positions.continuationOf(first);
    if (continuation.kind === 'earlier') {
      // What is known of this partition's offsets is of other records: to go on would skip all up to the old position.
      const { partition, offset } = first;
      lose(
        new Error(
          `partition ${partition} of ${topic} goes on at ${offset}, below ${continuation.committed}, which was committed`,
        ),
      );
      return false;
    }
    if (continuation.kind === 'later') {
      const next = [{ partition: first.partition, offset: continuation.expected }];
      void goneRecords.reportSince({ topic, next });
    }
    positions.advance(first);
    return true;
  };

  return async (payload) => {
    const { batch } = payload;
    const topic = topics.get(batch.topic);
    const first = batch.messages[0];
    // A batch that was fetched before a seek belongs to the old position.
    if (topic === undefined || first === undefined || !payload.isRunning() || payload.isStale()) {
      return;
    }
    const partition = { topic, partition: batch.partition };
    if (!continues(batch.topic, { ...partition, offset: Number(first.offset) })) {
      return;
    }
    const lastTaken = await take(partition, recordsOf(batch, topic));
    if (lastTaken !== null) {
      payload.resolveOffset(String(lastTaken));
      positions.advance({ ...partition, offset: nextOffset(batch, lastTaken) });
    }
  };
}

/** kafkajs steps over the markers of transactions behind the last record, which are no records. */
function nextOffset(batch: Batch, lastTaken: number): number {
  const isWhole = batch.messages.at(-1)?.offset === String(lastTaken);
  return isWhole ? Number(batch.lastOffset()) + 1 : lastTaken + 1;
}

function recordsOf(batch: Batch, topic: TopicName): readonly RawRecord[] {
  return batch.messages.map(({ key, value, headers, offset, timestamp }) => ({
    topic,
    partition: batch.partition,
    offset: Number(offset),
    timestamp: Number(timestamp),
    key,
    value,
    headers: headers ?? {},
  }));
}
