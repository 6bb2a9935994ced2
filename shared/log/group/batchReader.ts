import type { EachBatchPayload } from 'kafkajs';

import type { TopicName } from '../topics/names.js';
import type { RawRecord } from '../encoding/record.js';
import type { LogTruncation } from './logTruncation.js';
import type { ReadPositions } from './readPositions.js';
import { nameOfPartition, type TopicPartition, type TopicPartitionOffset } from '../client/topicPartition.js';

type Batch = EachBatchPayload['batch'];

/** A fetched part of one partition. A fetched part contains no transaction markers and no aborted records. */
export interface FetchedPart {
  readonly begin: number;
  /** The offset after the fetched part, including offsets without records. */
  readonly end: number;
  readonly records: readonly RawRecord[];
}

export interface BatchReaderDependencies {
  /** The topics to read, by their full names. */
  readonly topics: ReadonlyMap<string, TopicName>;
  readonly positions: ReadPositions;
  readonly logTruncation: Pick<LogTruncation, 'reportSince'>;
  /** Takes a fetched part of one partition. Returns the next offset to read, or null if it took nothing. */
  readonly take: (partition: TopicPartition, part: FetchedPart) => Promise<number | null>;
  /** Sets the next offset to fetch from a partition. */
  readonly rewind: (position: TopicPartitionOffset) => void;
  /**
   * Whether the group has committed the given offset or a lower one. A committed offset shows that the log was not
   * replaced.
   */
  readonly isCommitted: (topic: string, position: TopicPartitionOffset) => Promise<boolean>;
  /** Called if the partition's log was replaced since the last read. */
  readonly lose: (error: Error) => void;
}

export interface BatchReader {
  read: (payload: EachBatchPayload) => Promise<void>;
  /**
   * Takes a fetched part without records, which kafkajs does not deliver. The read position must advance over a part
   * without records.
   */
  pass: (topic: string, partition: number, part: Omit<FetchedPart, 'records'>) => void;
}

/** Passes fetched batches to `take`, and advances the fetch position over the taken records only. */
export function createBatchReader(dependencies: BatchReaderDependencies): BatchReader {
  const { topics, positions, logTruncation, take, rewind, isCommitted, lose } = dependencies;
  const passing = new Map<string, Promise<void>>();

  /**
   * Whether reading continues with a batch that begins at the offset `first`.
   * @param isCurrent whether no seek has followed the fetch of the batch
   */
  const continues = async (
    topic: string,
    first: TopicPartitionOffset,
    isCurrent: () => boolean,
  ): Promise<boolean> => {
    const continuation = positions.continuationOf(first);
    if (continuation.kind === 'earlier') {
      const isKnown = continuation.how === 'committed' && (await isCommitted(topic, first));
      if (!isCurrent()) {
        return false;
      }
      if (isKnown) {
        positions.commit(first);
        positions.seek(first);
        return true;
      }
      // The known offsets belong to a deleted log of the partition. A consumer that continued would skip all records
      // below the old position.
      const { partition, offset } = first;
      lose(
        new Error(
          `partition ${partition} of ${topic} was recreated or truncated: the consumer continues at offset ${offset}, below offset ` +
            `${continuation.known}, which was already ${continuation.how}`,
        ),
      );
      return false;
    }
    if (continuation.kind === 'later') {
      const next = [{ partition: first.partition, offset: continuation.expected }];
      void logTruncation.reportSince({ topic, next });
    }
    positions.advance(first);
    return true;
  };

  const passOver = async (partition: TopicPartition, part: FetchedPart) => {
    const begin = { ...partition, offset: part.begin };
    // A batch that was fetched before a seek does not begin at the new position.
    if (positions.continuationOf(begin).kind !== 'next') {
      return;
    }
    positions.advance(begin);
    const taken = await take(partition, part).catch(() => null);
    if (taken !== null) {
      positions.advance({ ...partition, offset: taken });
    } else if (positions.isAt(begin)) {
      rewind(begin);
    }
  };

  return {
    read: async (payload) => {
      const { batch } = payload;
      const topic = topics.get(batch.topic);
      const part = topic === undefined ? null : partOf(batch, topic);
      if (topic === undefined || part === null) {
        return;
      }
      const partition = { topic, partition: batch.partition };
      await passing.get(nameOfPartition(partition));
      // A batch that was fetched before a seek does not begin at the new position. Whoever takes it would skip records.
      const isCurrent = () => payload.isRunning() && !payload.isStale();
      const first = { ...partition, offset: part.begin };
      if (!isCurrent() || !(await continues(batch.topic, first, isCurrent)) || !isCurrent()) {
        return;
      }
      const next = await take(partition, part);
      if (next !== null) {
        payload.resolveOffset(String(next - 1));
        positions.advance({ ...partition, offset: next });
      }
    },
    pass: (topicName, number, part) => {
      const topic = topics.get(topicName);
      if (topic !== undefined) {
        const partition = { topic, partition: number };
        passing.set(nameOfPartition(partition), passOver(partition, { ...part, records: [] }));
      }
    },
  };
}

/** The part of a fetched part below an offset; null if no record is below the offset. */
export function partBelow(part: FetchedPart, end: number): FetchedPart | null {
  if (part.end <= end) {
    return part;
  }
  const { begin, records } = part;
  return begin < end ? { begin, end, records: records.filter(({ offset }) => offset < end) } : null;
}

function partOf(batch: Batch, topic: TopicName): FetchedPart | null {
  const begin = batch.firstOffset();
  return begin === null
    ? null
    : { begin: Number(begin), end: Number(batch.lastOffset()) + 1, records: recordsOf(batch, topic) };
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
