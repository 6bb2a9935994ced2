import {
  createOffsetTimestamps,
  nameOfRecordOffset,
  type RecordOffset,
} from '../../shared/log/client/offsetTimestamps.js';
import { modelDefinitions, type ModelName } from '../../shared/store/models/modelDefinitions.js';
import { fullTopicName, type TopicName } from '../../shared/log/topics/names.js';
import type { Stores } from '../environment/stores.js';

/** A partition whose first records the log has deleted. No read model can be built from the deleted records. */
export interface TruncatedPartition {
  readonly topic: TopicName;
  readonly partition: number;
  /** The first remaining offset of the partition, or its end offset if no record remains. */
  readonly from: number;
  /**
   * The append time of the first remaining record, or null if no record remains or the brokers did not answer in time.
   */
  readonly since: Date | null;
}

/**
 * Reads which records of these models' topics the log has deleted. Retention deletes records from the start of the log.
 */
export async function readTruncatedPartitions(
  { kafka, offsets }: Pick<Stores, 'kafka' | 'offsets'>,
  prefix: string,
  models: readonly ModelName[],
): Promise<readonly TruncatedPartition[]> {
  const topics = [...new Set(models.flatMap((model) => modelDefinitions[model].topics))];
  const begun = await Promise.all(
    topics.map(async (topic) => {
      const beginnings = await offsets.beginnings(topic);
      return beginnings.map((from, partition) => ({ topic, partition, from }));
    }),
  );
  const deleted = begun.flat().filter(({ from }) => from > 0);
  const placeOf = ({ topic, partition, from }: (typeof deleted)[number]): RecordOffset => ({
    topic: fullTopicName(prefix, topic),
    partition,
    offset: from,
  });
  const ends = new Map(
    await Promise.all(topics.map(async (topic) => [topic, await offsets.ends(topic)] as const)),
  );
  const left = deleted.filter(({ topic, partition, from }) => from < (ends.get(topic)?.[partition] ?? 0));
  const times = await createOffsetTimestamps(kafka, prefix)(left.map(placeOf));
  return deleted.map((beginning) => {
    const time = times.get(nameOfRecordOffset(placeOf(beginning)));
    return { ...beginning, since: time === undefined ? null : new Date(time) };
  });
}

/** A text about log truncation for an operator, with one line for each partition. */
export function describeTruncatedPartitions(deleted: readonly TruncatedPartition[]): string {
  return [
    'Kafka has deleted the first records of these partitions. The deleted records cannot be restored.',
    ...deleted.map(
      ({ topic, partition, from, since }) =>
        `  ${topic}, partition ${partition}: ${since === null ? `no record remains below offset ${from}` : `from offset ${from}, appended at ${since.toISOString()}`}`,
    ),
  ].join('\n');
}
