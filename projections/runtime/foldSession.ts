import { nameOfPartition, type TopicPartition } from '../../shared/log/client/topicPartition.js';
import type { ModelDocument } from '../../shared/store/models/documents.js';
import type { Batch } from '../fold/foldBatches.js';
import { createMicroBatcher } from './microBatcher.js';

/**
 * The folds from one seek of the consumer to the next. The first failure closes the session, because the position of a
 * later batch would also cover the failed batch.
 */
export interface FoldSession<Model extends ModelDocument> {
  /** The offset up to which each partition is folded. */
  readonly foldedOffsets: ReadonlyMap<string, number>;
  /** The offset behind the last batch of a partition that was passed to `fold`; null if it is not a partition of the session. */
  nextOffsetOf: (partition: TopicPartition) => number | null;
  /**
   * Folds a batch that begins at the `nextOffsetOf` of its partition. A closed session drops the batch, even if it was
   * pending before.
   * @throws the error of the fold that contained the batch
   */
  fold: (batch: Batch<Model>) => Promise<void>;
  /** Resolves when few enough records are pending for another batch to be passed. */
  waitForCapacity: () => Promise<void>;
  /** Closes the session, which starts no further fold. */
  close: () => void;
  isOpen: () => boolean;
  /** Resolves when no fold is in flight. */
  drained: () => Promise<void>;
}

export interface FoldSessionSettings<Model extends ModelDocument> {
  readonly startOffsets: ReadonlyMap<string, number>;
  readonly foldBatches: (batches: readonly Batch<Model>[]) => Promise<void>;
  /** How many folds may run in parallel if they change different documents. */
  readonly maximumConcurrentFolds: number;
}

/** The most records in one fold, except for a single larger batch. */
const maximumFoldedRecords = 2000;
/** The most records that may be pending while others are fetched, except for a single larger fetch. */
const maximumPendingRecords = 6000;
/** How old the filter of a record may be when the record is folded, in milliseconds. */
const maximumFilterAgeMs = 30_000;

export function createFoldSession<Model extends ModelDocument>(
  settings: FoldSessionSettings<Model>,
): FoldSession<Model> {
  const { startOffsets, foldBatches, maximumConcurrentFolds } = settings;
  const foldedOffsets = new Map(startOffsets);
  const nextOffsets = new Map(startOffsets);
  const inFlight = new Set<Promise<unknown>>();
  let pendingRecords = 0;
  let isOpen = true;

  const foldTogether = createMicroBatcher<Batch<Model>>({
    process: async (batches) => {
      if (!isOpen) {
        return;
      }
      try {
        rejectOld(batches);
        await foldBatches(batches);
      } catch (error) {
        isOpen = false;
        throw error;
      }
      batches.forEach(({ partition, nextOffset }) =>
        foldedOffsets.set(nameOfPartition(partition), nextOffset),
      );
    },
    sizeOf: ({ records }) => records.length,
    maximumSize: maximumFoldedRecords,
    // A document's records are in partitions of the same number, so parallel folds change different documents.
    orderingKey: ({ partition: { partition } }) => partition,
    maximumConcurrentBatches: maximumConcurrentFolds,
  });

  const fold = async (batch: Batch<Model>) => {
    nextOffsets.set(nameOfPartition(batch.partition), batch.nextOffset);
    pendingRecords += batch.records.length;
    try {
      await foldTogether(batch);
    } finally {
      pendingRecords -= batch.records.length;
    }
  };

  return {
    foldedOffsets,
    nextOffsetOf: (partition) => nextOffsets.get(nameOfPartition(partition)) ?? null,
    fold: (batch) => {
      const result = fold(batch);
      const settled: Promise<unknown> = result.catch(() => null).finally(() => inFlight.delete(settled));
      inFlight.add(settled);
      return result;
    },
    waitForCapacity: async () => {
      while (pendingRecords > maximumPendingRecords) {
        await Promise.race(inFlight);
      }
    },
    close: () => {
      isOpen = false;
    },
    isOpen: () => isOpen,
    drained: async () => {
      await Promise.all(inFlight);
    },
  };
}

/**
 * Rejects batches whose filter ran long ago, because the process was paused. Their accounts or tenants may be erased
 * meanwhile, and the write would restore a document. The next session reads and filters the records again.
 */
function rejectOld<Model extends ModelDocument>(batches: readonly Batch<Model>[]): void {
  const earliest = Date.now() - maximumFilterAgeMs;
  if (batches.some(({ filteredAt }) => filteredAt < earliest)) {
    throw new Error('the records were read too long ago, and are read again');
  }
}
