import type { EndOffsets } from '../../shared/log/client/topicOffsets.js';
import { partitionOf } from '../../shared/log/topics/partition.js';
import type { TopicName } from '../../shared/log/topics/names.js';
import type {
  OutgoingRecord,
  RawRecord,
  RecordPosition,
  Tombstone,
} from '../../shared/log/encoding/record.js';
import { scheduleBegin, type Timers } from './virtualTime.js';

/** The topics of the log, as the brokers store them. */
export interface SimulatedLog {
  /** The number of partitions of each topic. */
  readonly partitions: number;
  /** @param owner the process that appends the record, or null for another client */
  readonly append: (record: OutgoingRecord | Tombstone, owner: string | null) => RecordPosition;
  readonly end: (topic: TopicName, partition: number) => number;
  readonly ends: (topic: TopicName) => EndOffsets;
  /** Records from an offset on. */
  readonly read: (topic: TopicName, partition: number, from: number, count: number) => readonly RawRecord[];
}

/** @param onAppend called for each record that is appended */
export function createSimulatedLog(
  partitions: number,
  time: Timers,
  onAppend: (record: RawRecord, owner: string | null) => void,
): SimulatedLog {
  const topics = new Map<TopicName, readonly RawRecord[][]>();

  const recordsOf = (topic: TopicName): readonly RawRecord[][] => {
    const known = topics.get(topic) ?? Array.from({ length: partitions }, () => []);
    topics.set(topic, known);
    return known;
  };

  return {
    partitions,
    append: ({ topic, key, partition = partitionOf(key, partitions), value, headers }, owner) => {
      const offset = recordsOf(topic)[partition]?.length ?? 0;
      const timestamp = scheduleBegin + time.now();
      const record = { topic, partition, offset, timestamp, key: Buffer.from(key), value, headers };
      recordsOf(topic)[partition]?.push(record);
      onAppend(record, owner);
      return { topic, partition, offset };
    },
    end: (topic, partition) => recordsOf(topic)[partition]?.length ?? 0,
    ends: (topic) => recordsOf(topic).map(({ length }) => length),
    read: (topic, partition, from, count) => recordsOf(topic)[partition]?.slice(from, from + count) ?? [],
  };
}
