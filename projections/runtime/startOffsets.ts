import type { Logger } from '../../shared/core/logger.js';
import type { TopicBounds } from '../../shared/log/client/topicOffsets.js';
import type { TopicPartition, TopicPartitionOffset } from '../../shared/log/client/topicPartition.js';
import type { ModelGeneration } from '../../shared/store/generations/modelGeneration.js';
import type { ModelDocument } from '../../shared/store/models/documents.js';
import type { ModelPositions } from '../../shared/store/models/generations.js';
import type { ModelName } from '../../shared/store/models/modelDefinitions.js';

/** The log start offset of a partition. Kafka's retention has deleted all records below this offset. */
export type LogStartOffsets = (partition: TopicPartition) => number;

/** Reads the log start offsets of the given partitions. The start offset of an emptied partition is its end offset. */
export async function readLogStartOffsets(
  offsets: Pick<TopicBounds, 'beginnings'>,
  partitions: readonly TopicPartition[],
): Promise<LogStartOffsets> {
  const topics = [...new Set(partitions.map(({ topic }) => topic))];
  const read = await Promise.all(
    topics.map(async (topic) => [topic, await offsets.beginnings(topic)] as const),
  );
  const startOffsets = new Map(read);
  return ({ topic, partition }) => startOffsets.get(topic)?.[partition] ?? 0;
}

/** The offset at which a partition is resumed, and the model's position, which is lower if records were deleted. */
export interface ResumeOffset extends TopicPartitionOffset {
  readonly position: number;
}

/** The offsets at which folding resumes: behind the folded records, and behind the records that the log has deleted. */
export function resumeOffsets(
  partitions: readonly TopicPartition[],
  positions: ModelPositions,
  logStartOf: LogStartOffsets,
): readonly ResumeOffset[] {
  return partitions.map((partition) => {
    const position = positions[partition.topic]?.[String(partition.partition)] ?? 0;
    return { ...partition, position, offset: Math.max(position, logStartOf(partition)) };
  });
}

/**
 * Moves the positions of a model over records that the log deleted before the model read them. Otherwise the model
 * would wait forever for a partition without records, and every request that waits for the model would wait too.
 */
export async function skipDeletedRecords<Model extends ModelDocument>(
  offsets: readonly ResumeOffset[],
  generation: Pick<ModelGeneration<Model>, 'skip' | 'name'>,
  { logger, model }: { readonly logger: Pick<Logger, 'warn'>; readonly model: ModelName },
): Promise<void> {
  const deleted = offsets.filter(({ position, offset }) => position < offset);
  for (const { topic, partition, position, offset } of deleted) {
    const details = { model, generation: generation.name, topic, partition, from: position, below: offset };
    logger.warn(
      details,
      'the log has deleted records that the read model has not read: they cannot be restored',
    );
  }
  if (deleted.length > 0) {
    await generation.skip(deleted.map(({ topic, partition, offset }) => ({ topic, partition, offset })));
  }
}
