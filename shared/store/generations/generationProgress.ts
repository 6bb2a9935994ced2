import type { Collection, Document } from 'mongodb';

import type { TopicPartitionOffset } from '../../log/client/topicPartition.js';
import { isReached, metaId, type MetaDocument, type ModelPositions } from '../models/generations.js';

/** The next offset to read of each given partition. */
export type NextOffsets = readonly TopicPartitionOffset[];

/** The progress of a generation, which the meta document of its collection stores. */
export interface GenerationProgress {
  /**
   * Reads the next offsets of the generation, by topic and partition. The result is null after the collection was
   * emptied. A generation that has reached its target becomes complete.
   */
  positions: () => Promise<ModelPositions | null>;
  /**
   * Stores that all records below the given offsets are folded. The documents must be written before.
   * @returns `emptied` if the collection was emptied. A new generation must then be folded from the log
   */
  advance: (next: NextOffsets) => Promise<'advanced' | 'emptied'>;
  /** Advances over offsets that the log has deleted, and counts these offsets as skipped. */
  skip: (next: NextOffsets) => Promise<'advanced' | 'emptied'>;
}

export function createGenerationProgress(metas: Collection<MetaDocument>): GenerationProgress {
  /**
   * The offsets at which the generation becomes complete. The target is null for a complete generation, which stays
   * complete, and undefined before the first read.
   */
  let target: ModelPositions | null | undefined;

  const note = (meta: MetaDocument | null) => {
    target = meta?.complete === true ? null : meta?.target;
    return meta;
  };

  const read = async () => note(await metas.findOne({ _id: metaId }));

  /**
   * Writes the positions and the completion together, because a crash between two writes could leave a generation that
   * never becomes complete.
   */
  const advanceTowards = async (next: NextOffsets, end: ModelPositions): Promise<boolean> =>
    note(await metas.findOneAndUpdate({ _id: metaId }, advancing(next, end), { returnDocument: 'after' })) !==
    null;

  /**
   * Counts skipped offsets in the write that advances the position. So neither a crash nor a concurrent skip counts an
   * offset twice.
   */
  const countSkipped = (next: NextOffsets) =>
    metas.updateOne({ _id: metaId }, [
      { $set: Object.fromEntries(next.map(skippedEntry)) },
      { $set: Object.fromEntries(next.map(positionEntry)) },
    ]);

  const advanceComplete = async (next: NextOffsets): Promise<boolean> => {
    const positions = Object.fromEntries(next.map((one) => [pathOf(one), one.offset]));
    return (await metas.updateOne({ _id: metaId }, { $max: positions })).matchedCount > 0;
  };

  const advance: GenerationProgress['advance'] = async (next) => {
    if (target === undefined) {
      await read();
    }
    if (target === undefined) {
      return 'emptied';
    }
    const isThere = target === null ? await advanceComplete(next) : await advanceTowards(next, target);
    return isThere ? 'advanced' : 'emptied';
  };

  return {
    positions: async () => {
      const meta = await read();
      if (meta !== null && !meta.complete && isReached(meta.positions, meta.target)) {
        await metas.updateOne({ _id: metaId }, { $set: { complete: true } });
        target = null;
      }
      return meta?.positions ?? null;
    },
    advance,
    skip: async (next) => {
      await countSkipped(next);
      return advance(next);
    },
  };
}

/**
 * The update pipeline that advances the positions and sets the completion. Update operators cannot read the values that
 * they write. A complete generation needs no pipeline.
 */
function advancing(next: NextOffsets, target: ModelPositions): Document[] {
  const reached = Object.entries(target).flatMap(([topic, ends]) =>
    Object.entries(ends).map(([partition, end]) => ({
      $gte: [{ $ifNull: [`$positions.${topic}.${partition}`, 0] }, end],
    })),
  );
  return [
    { $set: Object.fromEntries(next.map(positionEntry)) },
    { $set: { complete: { $or: ['$complete', { $and: reached }] } } },
  ];
}

function positionEntry(next: TopicPartitionOffset) {
  return [pathOf(next), { $max: [`$${pathOf(next)}`, next.offset] }] as const;
}

/** The update of a partition's number of skipped offsets, when its position advances over deleted offsets. */
function skippedEntry(next: TopicPartitionOffset) {
  const path = `skipped.${next.topic}.${next.partition}`;
  const passed = { $ifNull: [`$${pathOf(next)}`, 0] };
  const skipped = { $max: [0, { $subtract: [next.offset, passed] }] };
  return [path, { $add: [{ $ifNull: [`$${path}`, 0] }, skipped] }] as const;
}

function pathOf({ topic, partition }: TopicPartitionOffset): string {
  return `positions.${topic}.${partition}`;
}
