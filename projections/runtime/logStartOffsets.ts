import type { TopicBounds } from '../../shared/log/client/topicOffsets.js';
import type { TopicPartition, TopicPartitionOffset } from '../../shared/log/client/topicPartition.js';
import type { Logger } from '../../shared/core/logger.js';
import type { ModelDocument } from '../../shared/store/models/documents.js';
import type { ModelPositions } from '../../shared/store/models/generations.js';
import type { ModelGeneration } from '../../shared/store/generations/modelGeneration.js';
import type { ModelName } from '../../shared/store/models/readModels.js';

/** Where the log begins by now, of each partition: below it retention has deleted all. */
export type LogStartOffsets = (partition: TopicPartition) => number;

/** Reads where these partitions begin. A partition may begin at its end: then no record of it is left to be read. */
export async function readLogStartOffsets(
  offsets: Pick<TopicBounds, 'beginnings'>,
  partitions: readonly TopicPartition[],
): Promise<LogStartOffsets> {
  const topics = [...new Set(partitions.map(({ topic }) => topic))];
  const read = await Promise.all(
    topics.map(async (topic) => [topic, await offsets.beginnings(topic)] as const),
  );
  const beginnings = new Map(read);
  return ({ topic, partition }) => beginnings.get(topic)?.[partition] ?? 0;
}

/** Records of a partition from an offset on, up to another one. */
export interface SkippedRecords extends TopicPartitionOffset {
  readonly from: number;
}

/** What each partition goes on behind: what is folded, and what the log has deleted before it was. */
export function skippedOf(
  partitions: readonly TopicPartition[],
  positions: ModelPositions,
  beginningOf: LogStartOffsets,
): readonly SkippedRecords[] {
  return partitions.map((partition) => {
    const from = positions[partition.topic]?.[String(partition.partition)] ?? 0;
    return { ...partition, from, offset: Math.max(from, beginningOf(partition)) };
  });
}

/**
 * Moves a model over records that the log has deleted before it has read them. Without, a model would wait for ever for a
 * partition of which nothing is left, and with it all who wait for the model.
 */
export async function skipDeleted<Model extends ModelDocument>(
  records: readonly SkippedRecords[],
  generation: Pick<ModelGeneration<Model>, 'skip' | 'name'>,
  { logger, model }: { readonly logger: Pick<Logger, 'warn'>; readonly model: ModelName },
): Promise<void> {
  const deleted = records.filter(({ from, offset }) => from < offset);
  for (const { topic, partition, from, offset } of deleted) {
    const details = { model, generation: generation.name, topic, partition, from, below: offset };
    logger.warn(
      details,
      'the log has deleted records that the read model has not read: they cannot be restored',
    );
  }
  if (deleted.length > 0) {
    await generation.skip(deleted.map(({ topic, partition, offset }) => ({ topic, partition, offset })));
  }
}
