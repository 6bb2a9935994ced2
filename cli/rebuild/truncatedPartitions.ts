import {
  createOffsetTimestamps,
  nameOfRecordOffset,
  type RecordOffset,
} from '../../shared/log/client/offsetTimestamps.js';
import { modelDefinitions, type ModelName } from '../../shared/store/models/readModels.js';
import { fullTopicName, type TopicName } from '../../shared/log/topics/names.js';
import type { Stores } from '../environment/stores.js';

/** A partition whose beginning the log has deleted: no model can be built of what stood there. */
export interface TruncatedPartition {
  readonly topic: TopicName;
  readonly partition: number;
  /** The first offset that it still has; its end where nothing is left. */
  readonly from: number;
  /** When the first record that is left was appended; null where there is none, or the brokers did not tell in time. */
  readonly since: Date | null;
}

/** What of these models' topics the log no longer has. Retention deletes from the beginning. */
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

/** As people read it: a line for each partition. */
export function describeTruncatedPartitions(deleted: readonly TruncatedPartition[]): string {
  return [
    'The log has deleted the beginning of these partitions: what stood there cannot be restored.',
    ...deleted.map(
      ({ topic, partition, from, since }) =>
        `  ${topic}, partition ${partition}: ${since === null ? `nothing is left below offset ${from}` : `from offset ${from} on, of ${since.toISOString()}`}`,
    ),
  ].join('\n');
}
