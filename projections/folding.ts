import type { TopicPartition } from '../shared/kafka/topicPartition.js';
import type { ModelDocument } from '../shared/mongo/documents.js';
import type { ModelGeneration } from '../shared/mongo/modelGeneration.js';
import { recordIdOf } from '../shared/topics/cloudEvent.js';
import { foldBatch, type ReadRecord } from './foldBatch.js';
import type { Folding } from './projection.js';
import type { RecentRecords } from './recentRecords.js';

/** Records of one partition that are folded next, in order. */
export interface Batch<Model extends ModelDocument> {
  readonly partition: TopicPartition;
  readonly records: readonly ReadRecord<Model>[];
  /** The offset behind the last of them, and behind what could not be read. */
  readonly next: number;
}

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
 */
export async function foldTogether<Model extends ModelDocument>(
  batches: readonly Batch<Model>[],
  generation: ModelGeneration<Model>,
  before: FoldedBefore | null,
): Promise<'advanced' | 'emptied'> {
  const records = batches.flatMap((batch) => (before === null ? batch.records : firstOnes(batch, before)));
  await foldInto(generation, records);
  const advanced = await generation.advance(
    batches.map(({ partition, next }) => ({ ...partition, offset: next })),
  );
  // Only now: a batch that failed is folded again, and must not be taken for a repetition of itself.
  if (before?.goesOn() === true) {
    rememberAll(batches, before);
  }
  return advanced;
}

function rememberAll<Model extends ModelDocument>(
  batches: readonly Batch<Model>[],
  recent: RecentRecords,
): void {
  for (const { partition, records, next } of batches) {
    recent.remember(
      partition,
      records.map(({ record }) => recordIdOf(record)),
      next,
    );
  }
}

/**
 * Another process may hold the same partition for a moment after a rebalance: whoever is second folds on the newer documents. So
 * does who has taken a document for a new one that is there.
 */
async function foldInto<Model extends ModelDocument>(
  generation: ModelGeneration<Model>,
  records: readonly ReadRecord<Model>[],
): Promise<void> {
  let ids = idsToLoad(records, ({ begins = false }) => !begins);
  for (;;) {
    const loaded = ids.length === 0 ? new Map<string, Model>() : await generation.load(ids);
    const changes = foldBatch(loaded, records);
    if ((await generation.write(changes)) === 'written') {
      return;
    }
    ids = idsToLoad(records, () => true);
  }
}

/** The ids of documents whose first folding is such a one. */
function idsToLoad<Model extends ModelDocument>(
  records: readonly ReadRecord<Model>[],
  isLookedFor: (first: Folding<Model>) => boolean,
): readonly string[] {
  const firsts = new Map<string, Folding<Model>>();
  for (const folding of records.flatMap(({ foldings }) => foldings)) {
    if (!firsts.has(folding.id)) {
      firsts.set(folding.id, folding);
    }
  }
  return [...firsts.values()].filter(isLookedFor).map(({ id }) => id);
}

/** The records whose ids were not met before, neither in the partition nor in the batch. */
function firstOnes<Model extends ModelDocument>(
  { partition, records }: Batch<Model>,
  recent: RecentRecords,
): readonly ReadRecord<Model>[] {
  const met = new Set<string>();
  return records.filter(({ record }) => {
    const id = recordIdOf(record);
    const isFirst = !met.has(id) && !recent.has(partition, id);
    met.add(id);
    return isFirst;
  });
}
