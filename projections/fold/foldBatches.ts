import { setTimeout as pause } from 'node:timers/promises';

import { UnavailableError } from '../../shared/core/errors.js';
import type { TopicPartition } from '../../shared/log/client/topicPartition.js';
import type { ModelDocument } from '../../shared/store/models/documents.js';
import type { ModelGeneration } from '../../shared/store/generations/modelGeneration.js';
import { fenceIdsOf, foldFences } from './foldFences.js';
import { foldBatch, type ReadRecord } from './foldBatch.js';
import { foldAround, folding, PoisonRecordsError } from './poisonRecords.js';
import type { Folding } from '../models/projection.js';
import type { RecentRecords } from './recentRecords.js';

/** Records of one partition that are folded next, in order. */
export interface Batch<Model extends ModelDocument> {
  readonly partition: TopicPartition;
  readonly records: readonly ReadRecord<Model>[];
  /** The offset behind the last of them, and behind what could not be read. */
  readonly next: number;
}

/** A rebuild's rounds are of some partitions each, and not of all of them outcomes come first. A look for nothing costs little. */
const looksAfterFind = 10;

/** How often a fold is repeated for documents that another process was faster with: some 5 s. Then its partitions are read again. */
const maximumConflicts = 8;
const shortestPauseMs = 10;

/** The records that were folded before, of partitions that may be read from elsewhere meanwhile. */
export interface FoldedBefore extends RecentRecords {
  /**
   * Whether reading still goes on behind the batches that were given. Where it was moved meanwhile, by a rebalance, it comes over
   * their records again, or over those that stand before them and are to be remembered first.
   */
  readonly goesOn: () => boolean;
}

/**
 * Folds batches of several partitions together and moves the positions on, in this order: what dies between the two is
 * folded again, to no effect. One read and one write of a document that all of them are about.
 * @param before null where the fold itself makes records harmless that were appended twice
 * @returns `emptied` where the model was emptied under us
 * @throws PoisonRecordsError if some records cannot be folded. All others are, and no position has moved.
 */
export type FoldBatches<Model extends ModelDocument> = (
  batches: readonly Batch<Model>[],
  before: FoldedBefore | null,
) => Promise<'advanced' | 'emptied'>;

/** @param generation that nobody else in this process folds into */
export function createFoldBatches<Model extends ModelDocument>(
  generation: ModelGeneration<Model>,
): FoldBatches<Model> {
  const foldInto = createFoldInto(generation);
  return async (batches, before) => {
    const records = batches.flatMap((batch) => (before === null ? batch.records : firstOnes(batch, before)));
    const failed = await foldAround(records, foldInto);
    if (failed.length > 0) {
      throw new PoisonRecordsError(failed.map(({ item: { record }, reason }) => ({ ...record, reason })));
    }
    const advanced = await generation.advance(
      batches.map(({ partition, next }) => ({ ...partition, offset: next })),
    );
    // Only now: a batch that failed is folded again, and must not be taken for a repetition of itself.
    if (before?.goesOn() === true) {
      rememberAll(batches, before);
    }
    return advanced;
  };
}

function rememberAll<Model extends ModelDocument>(
  batches: readonly Batch<Model>[],
  recent: RecentRecords,
): void {
  for (const { partition, records, next } of batches) {
    recent.remember(
      partition,
      records.map(({ record }) => record.id),
      next,
    );
  }
}

/**
 * Another process may hold the same partition for a moment after a rebalance: whoever is second folds on the newer documents. So
 * does who has taken a document for a new one that is there.
 */
function createFoldInto<Model extends ModelDocument>(
  generation: ModelGeneration<Model>,
): (records: readonly ReadRecord<Model>[]) => Promise<void> {
  /**
   * A rebuild reads many an outcome before its event: a third of its rounds were written twice, once in vain. Where documents were
   * there that were to begin, they are looked for in the next rounds too, until so many have found none.
   */
  let looks = 0;

  const loadFor = async (firsts: readonly Folding<Model>[], all: boolean) => {
    const begun = firsts.filter(({ begins = false }) => begins);
    const ids = (all ? firsts : firsts.filter(({ begins = false }) => !begins)).map(({ id }) => id);
    const loaded = ids.length === 0 ? new Map<string, Model>() : await generation.load(ids);
    if (all && begun.length > 0) {
      looks = begun.some(({ id }) => loaded.has(id)) ? looksAfterFind : Math.max(0, looks - 1);
    }
    return loaded;
  };

  return async (records) => {
    const fenceIds = fenceIdsOf(records);
    const foldOnce = async (all: boolean) => {
      const fences = await generation.loadFences(fenceIds);
      const { changes, effective } = folding(() => foldFences(fences, records));
      if ((await generation.writeFences(changes)) === 'conflict') {
        return 'conflict';
      }
      const loaded = await loadFor(firstFoldings(effective), all);
      return generation.write(folding(() => foldBatch(loaded, effective)));
    };
    for (let conflicts = 0; conflicts <= maximumConflicts; conflicts += 1) {
      await pauseAfter(conflicts);
      if ((await foldOnce(conflicts > 0 || looks > 0)) === 'written') {
        return;
      }
    }
    throw new UnavailableError('other processes write the same documents');
  };
}

/** The first retry is at once: most conflicts are documents that were there already. From then on pauses double, and differ by process. */
async function pauseAfter(conflicts: number): Promise<void> {
  if (conflicts > 1) {
    await pause(shortestPauseMs * 2 ** conflicts * (0.5 + Math.random()));
  }
}

/** The first folding of each document. */
function firstFoldings<Model extends ModelDocument>(
  records: readonly ReadRecord<Model>[],
): readonly Folding<Model>[] {
  const firsts = new Map<string, Folding<Model>>();
  for (const { foldings } of records) {
    for (const folding of foldings) {
      if (!firsts.has(folding.id)) {
        firsts.set(folding.id, folding);
      }
    }
  }
  return [...firsts.values()];
}

/** The records whose ids were not met before, neither in the partition nor in the batch. */
function firstOnes<Model extends ModelDocument>(
  { partition, records }: Batch<Model>,
  recent: RecentRecords,
): readonly ReadRecord<Model>[] {
  const met = new Set<string>();
  return records.filter(({ record: { id } }) => {
    const isFirst = !met.has(id) && !recent.has(partition, id);
    met.add(id);
    return isFirst;
  });
}
