import { setTimeout as pause } from 'node:timers/promises';

import { createSharedTurns, type SharedTurns } from '../../shared/concurrency/sharedTurns.js';
import { UnavailableError } from '../../shared/core/errors.js';
import type { TopicPartition } from '../../shared/log/client/topicPartition.js';
import type { ModelGeneration } from '../../shared/store/generations/modelGeneration.js';
import type { ModelDocument } from '../../shared/store/models/documents.js';
import type { DocumentFold } from '../models/projection.js';
import { foldInSteps, type DecodedRecord } from './foldDocuments.js';
import { fenceIdsOf, foldFences } from './foldFences.js';
import { isolatePoison, runFold, PoisonRecordsError } from './poisonRecords.js';
import type { RecentRecordIds } from './recentRecordIds.js';

/** Consecutive records of one partition that are folded next. */
export interface Batch<Model extends ModelDocument> {
  readonly partition: TopicPartition;
  readonly records: readonly DecodedRecord<Model>[];
  /** The offset behind the last record of the batch, including records that could not be read. */
  readonly nextOffset: number;
  /** When the records were filtered, in milliseconds since 1970. */
  readonly filteredAt: number;
}

/**
 * How many rounds still load documents after a load has found a document. A rebuild reads some partitions per round,
 * and outcomes precede their events in some of these partitions only. A load that finds no document costs little.
 */
const loadsAfterFind = 10;

/**
 * How often a fold is retried if another process has written the same documents first: for about 5 s. After the last
 * retry the runner reads the partitions again.
 */
const maximumConflicts = 8;
const defaultShortestPauseMs = 10;

/** The ids of records that were folded before, for models that count records. */
export interface Deduplication extends RecentRecordIds {
  /**
   * Whether the fold session that read the batches is still open. After a rebalance, another session reads the same
   * records again, or first reads earlier records, whose ids must be remembered before.
   */
  readonly isCurrent: () => boolean;
}

/**
 * Folds batches of several partitions together, then advances the positions. After a crash between the fold and the
 * advance, the batches are folded again without effect. A document that several batches change is read and written
 * once.
 * @param deduplication null if the fold itself ignores duplicates
 * @returns `emptied` if the model was emptied in the meantime
 * @throws PoisonRecordsError if some records cannot be folded; all other records are folded, and no position has
 * advanced
 */
export type FoldBatches<Model extends ModelDocument> = (
  batches: readonly Batch<Model>[],
  deduplication: Deduplication | null,
) => Promise<'advanced' | 'emptied'>;

export interface FoldOptions {
  /** The turns that the fold shares with other work of the process; its own by default. */
  readonly turns?: SharedTurns;
  /** The base of the pauses between retries, in milliseconds. */
  readonly shortestPauseMs?: number;
}

/** @param generation a generation that no other code of this process folds into */
export function createFoldBatches<Model extends ModelDocument>(
  generation: ModelGeneration<Model>,
  { turns = createSharedTurns(), shortestPauseMs = defaultShortestPauseMs }: FoldOptions = {},
): FoldBatches<Model> {
  const foldRecords = createFoldRecords(generation, { turns, shortestPauseMs });
  return async (batches, deduplication) => {
    const records = batches.flatMap((batch) =>
      deduplication === null ? batch.records : withoutDuplicates(batch, deduplication),
    );
    const failed = await isolatePoison(records, foldRecords);
    if (failed.length > 0) {
      throw new PoisonRecordsError(failed.map(({ item: { record }, reason }) => ({ ...record, reason })));
    }
    const advanced = await generation.advance(
      batches.map(({ partition, nextOffset }) => ({ ...partition, offset: nextOffset })),
    );
    // Only folded batches are remembered: a batch that failed is folded again, and must not count as its own duplicate.
    if (deduplication?.isCurrent() === true) {
      rememberAll(batches, deduplication);
    }
    return advanced;
  };
}

function rememberAll<Model extends ModelDocument>(
  batches: readonly Batch<Model>[],
  recentIds: RecentRecordIds,
): void {
  for (const { partition, records, nextOffset } of batches) {
    recentIds.remember(
      partition,
      records.map(({ record }) => record.id),
      nextOffset,
    );
  }
}

/**
 * Creates the function that folds records into a generation. Another process may own the same partition for a moment
 * after a rebalance. The process that writes second folds again, on the newer documents. A process that took an
 * existing document for a new one also folds again.
 */
function createFoldRecords<Model extends ModelDocument>(
  generation: ModelGeneration<Model>,
  { turns, shortestPauseMs }: Required<FoldOptions>,
): (records: readonly DecodedRecord<Model>[]) => Promise<void> {
  /**
   * How many of the next rounds load the documents that their records would create. A rebuild often reads an outcome
   * before its event. Without these loads, a third of the rounds of a rebuild were written twice.
   */
  let remainingLoads = 0;

  const loadDocuments = async (folds: readonly DocumentFold<Model>[], isLoadingAll: boolean) => {
    const creating = folds.filter(({ createsDocument = false }) => createsDocument);
    const ids = (isLoadingAll ? folds : folds.filter(({ createsDocument = false }) => !createsDocument)).map(
      ({ id }) => id,
    );
    const loaded = ids.length === 0 ? new Map<string, Model>() : await generation.load(ids);
    if (isLoadingAll && creating.length > 0) {
      remainingLoads = creating.some(({ id }) => loaded.has(id))
        ? loadsAfterFind
        : Math.max(0, remainingLoads - 1);
    }
    return loaded;
  };

  return async (records) => {
    const fenceIds = fenceIdsOf(records);
    const tryFold = async (isLoadingAll: boolean) => {
      const fences = await generation.loadFences(fenceIds);
      const { changes, effective } = await runFold(() => foldFences(fences, records));
      if ((await generation.writeFences(changes)) === 'conflict') {
        return 'conflict';
      }
      const loaded = await loadDocuments(firstFolds(effective), isLoadingAll);
      return generation.write(await runFold(() => turns.run(foldInSteps(loaded, effective))));
    };
    for (let conflicts = 0; conflicts <= maximumConflicts; conflicts += 1) {
      await backOff(conflicts, shortestPauseMs);
      if ((await tryFold(conflicts > 0 || remainingLoads > 0)) === 'written') {
        return;
      }
    }
    throw new UnavailableError('other processes are writing the same documents of the read model');
  };
}

/**
 * Pauses before a retry. The first retry follows at once, because most conflicts are documents that existed already.
 * The pauses before further retries double, with jitter.
 */
async function backOff(conflicts: number, shortestPauseMs: number): Promise<void> {
  if (conflicts > 1) {
    await pause(shortestPauseMs * 2 ** conflicts * (0.5 + Math.random()));
  }
}

/** The first fold of each document. */
function firstFolds<Model extends ModelDocument>(
  records: readonly DecodedRecord<Model>[],
): readonly DocumentFold<Model>[] {
  const firsts = new Map<string, DocumentFold<Model>>();
  for (const { folds } of records) {
    for (const fold of folds) {
      if (!firsts.has(fold.id)) {
        firsts.set(fold.id, fold);
      }
    }
  }
  return [...firsts.values()];
}

/** The records of a batch whose ids are new, both in the partition and in the batch. */
function withoutDuplicates<Model extends ModelDocument>(
  { partition, records }: Batch<Model>,
  recentIds: RecentRecordIds,
): readonly DecodedRecord<Model>[] {
  const seen = new Set<string>();
  return records.filter(({ record: { id } }) => {
    const isFirst = !seen.has(id) && !recentIds.has(partition, id);
    seen.add(id);
    return isFirst;
  });
}
