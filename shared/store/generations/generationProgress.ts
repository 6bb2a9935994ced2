import type { Collection, Document } from 'mongodb';

import type { TopicPartitionOffset } from '../../log/client/topicPartition.js';
import { isReached, metaId, type MetaDocument, type ModelPositions } from '../models/generations.js';

/** The next offset of each of these partitions. */
export type NextOffsets = readonly TopicPartitionOffset[];

/** The progress of a generation, in the meta document of its collection. */
export interface GenerationProgress {
  /**
   * The next offsets, by topic and partition. Null once the collection was emptied. A generation that has reached its
   * target becomes complete.
   */
  positions: () => Promise<ModelPositions | null>;
  /**
   * Records that all records below these offsets are folded, after the documents were written.
   * @returns `emptied` if the collection was emptied: all records must be read again, into a new generation
   */
  advance: (next: NextOffsets) => Promise<'advanced' | 'emptied'>;
  /** Advances over records that the log has deleted, and counts them as skipped. */
  skip: (next: NextOffsets) => Promise<'advanced' | 'emptied'>;
}

export function createGenerationProgress(metas: Collection<MetaDocument>): GenerationProgress {
  /**
   * The offsets that make the generation complete. Null once it is complete, which is permanent; undefined while it is
   * unknown.
   */
  let target: ModelPositions | null | undefined;

  const note = (meta: MetaDocument | null) => {
    target = meta?.complete === true ? null : meta?.target;
    return meta;
  };

  const read = async () => note(await metas.findOne({ _id: metaId }));

  /** Writes the positions and the completion together: a crash cannot leave a generation that is never complete. */
  const advanceTowards = async (next: NextOffsets, end: ModelPositions): Promise<boolean> =>
    note(await metas.findOneAndUpdate({ _id: metaId }, advancing(next, end), { returnDocument: 'after' })) !==
    null;

  /** One write, so that neither a crash nor a parallel skip counts records twice. */
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

/** A pipeline, because an update of operators cannot read what it writes. A complete generation needs none. */
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

/** The total of skipped offsets of a partition, after its position advances without records. */
function skippedEntry(next: TopicPartitionOffset) {
  const path = `skipped.${next.topic}.${next.partition}`;
  const passed = { $ifNull: [`$${pathOf(next)}`, 0] };
  const skipped = { $max: [0, { $subtract: [next.offset, passed] }] };
  return [path, { $add: [{ $ifNull: [`$${path}`, 0] }, skipped] }] as const;
}

function pathOf({ topic, partition }: TopicPartitionOffset): string {
  return `positions.${topic}.${partition}`;
}
