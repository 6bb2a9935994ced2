import { nameOfPartition, type TopicPartition } from '../../shared/log/client/topicPartition.js';
import type { ModelDocument } from '../../shared/store/models/documents.js';
import type { Batch } from '../fold/foldBatches.js';
import { createMicroBatcher } from './microBatcher.js';

/** How records become documents from one opening of the model to the next. */
export interface FoldSession<Model extends ModelDocument> {
  /** The offset that each partition folds next. */
  readonly folded: ReadonlyMap<string, number>;
  /** The offset behind what was handed over of a partition. */
  nextOf: (partition: TopicPartition) => number;
  /**
   * Folds a batch that begins where the last one of its partition has ended. Once a batch has failed none is folded any more, of those that
   * were handed over either: what stands behind it would pass for all before it.
   */
  fold: (batch: Batch<Model>) => Promise<void>;
  /** Resolves once little enough waits for more to be handed over. */
  hasRoom: () => Promise<void>;
  /** From now on nothing is begun to be folded. */
  end: () => void;
  /** Whether it was ended, or a batch has failed. */
  hasEnded: () => boolean;
  /** Resolves once nothing is under way that was handed over before. */
  settled: () => Promise<void>;
}

export interface FoldSessionSettings<Model extends ModelDocument> {
  /** Where each partition begins. */
  readonly beginnings: ReadonlyMap<string, number>;
  readonly foldBatches: (batches: readonly Batch<Model>[]) => Promise<void>;
  /** How many batches may be folded beside each other, where they change different documents. */
  readonly atOnce: number;
}

/** What is folded in one go, in records, but for a single batch with more. */
const maximumTogether = 2000;
/** How many records may wait to be folded while others are fetched, but for a single fetch with more. */
const maximumWaiting = 6000;

export function createFoldSession<Model extends ModelDocument>(
  settings: FoldSessionSettings<Model>,
): FoldSession<Model> {
  const { beginnings, foldBatches, atOnce } = settings;
  const folded = new Map(beginnings);
  const handedOver = new Map(beginnings);
  const underWay = new Set<Promise<unknown>>();
  let waiting = 0;
  let hasEnded = false;

  const gather = createMicroBatcher<Batch<Model>>({
    workOn: async (batches) => {
      if (hasEnded) {
        throw new Error('what stands before it is not folded');
      }
      try {
        await foldBatches(batches);
      } catch (error) {
        hasEnded = true;
        throw error;
      }
      batches.forEach(({ partition, next }) => folded.set(nameOfPartition(partition), next));
    },
    sizeOf: ({ records }) => records.length,
    maximumSize: maximumTogether,
    // What topics say of one document stands in partitions of one number: rounds do not get in each other's way.
    orderedBy: ({ partition: { partition } }) => partition,
    maximumRounds: atOnce,
  });

  const fold = async (batch: Batch<Model>) => {
    handedOver.set(nameOfPartition(batch.partition), batch.next);
    waiting += batch.records.length;
    try {
      await gather(batch);
    } finally {
      waiting -= batch.records.length;
    }
  };

  return {
    folded,
    nextOf: (partition) => handedOver.get(nameOfPartition(partition)) ?? 0,
    fold: (batch) => {
      const folding = fold(batch);
      const settled: Promise<unknown> = folding.catch(() => null).finally(() => underWay.delete(settled));
      underWay.add(settled);
      return folding;
    },
    hasRoom: async () => {
      while (waiting > maximumWaiting) {
        await Promise.race(underWay);
      }
    },
    end: () => {
      hasEnded = true;
    },
    hasEnded: () => hasEnded,
    settled: async () => {
      await Promise.all(underWay);
    },
  };
}

/** Whether what is handed over is folded: after a failure it is not. */
export function isOpen<Model extends ModelDocument>(
  reading: FoldSession<Model> | null,
): reading is FoldSession<Model> {
  return reading?.hasEnded() === false;
}
