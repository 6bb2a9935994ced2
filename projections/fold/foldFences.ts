import type { ModelDocument } from '../../shared/store/models/documents.js';
import type { DocumentChange } from '../../shared/store/models/documentWrites.js';
import { fenceIdOf, type FenceDocument, type FencePosition } from '../../shared/store/models/fences.js';
import { foldBatch, type ReadRecord } from './foldBatch.js';
import type { Folding } from '../models/projection.js';

/** Records without those that a fence makes ineffective, and the fences that were among them. */
export interface FoldedFences<Model extends ModelDocument> {
  readonly changes: readonly DocumentChange<FenceDocument>[];
  readonly effective: readonly ReadRecord<Model>[];
}

/**
 * More than can be folded again after a crash: each follows a lease that has expired, and no command runs until the models have
 * read the fence before.
 */
const rememberedFences = 100;

/** The documents that tell which of these records are effective: none for records without a fencing number. */
export function fenceIdsOf<Model extends ModelDocument>(
  records: readonly ReadRecord<Model>[],
): readonly string[] {
  return [...new Set(records.map(fenceIdFor).filter((id) => id !== null))];
}

/**
 * Folds fences, and drops each command with a lower number than a fence of its account that precedes it in its partition. The order
 * within a partition is total, so every fold and every rebuild drops the same records, in whatever order it reads the partitions.
 *
 * A fence is compared by its offset and not by when it was folded: after a crash between two writes, records that precede it are
 * folded again.
 * @param loaded the documents of `fenceIdsOf(records)`
 */
export function foldFences<Model extends ModelDocument>(
  loaded: ReadonlyMap<string, FenceDocument>,
  records: readonly ReadRecord<Model>[],
): FoldedFences<Model> {
  const changes = foldBatch(loaded, records.filter(isFence).map(fenceRecord));
  const fences = new Map([...loaded, ...changes.map(({ after }) => [after._id, after] as const)]);
  return { changes, effective: records.filter((record) => !isFence(record) && !isStale(record, fences)) };
}

function fenceIdFor<Model extends ModelDocument>({ record, fencing }: ReadRecord<Model>): string | null {
  return fencing === undefined ? null : fenceIdOf(fencing.accountId, record.topic, record.partition);
}

function isFence<Model extends ModelDocument>({ fencing }: ReadRecord<Model>): boolean {
  return fencing?.kind === 'fence';
}

function isStale<Model extends ModelDocument>(
  read: ReadRecord<Model>,
  fences: ReadonlyMap<string, FenceDocument>,
): boolean {
  const number = read.fencing?.number ?? Number.POSITIVE_INFINITY;
  const before = fences.get(fenceIdFor(read) ?? '')?.fences ?? [];
  return before.some((fence) => fence.offset < read.record.offset && fence.number > number);
}

function fenceRecord<Model extends ModelDocument>(read: ReadRecord<Model>): ReadRecord<FenceDocument> {
  const _id = fenceIdFor(read) ?? '';
  const position = { offset: read.record.offset, number: read.fencing?.number ?? 0 };
  const folding: Folding<FenceDocument> = {
    id: _id,
    apply: (document) => ({
      _id,
      positions: document?.positions ?? {},
      fences: withFence(document?.fences ?? [], position),
    }),
  };
  return { record: read.record, foldings: [folding] };
}

/** A lower number follows if two leases ended before their fences were appended. It changes nothing. */
function withFence(fences: readonly FencePosition[], fence: FencePosition): readonly FencePosition[] {
  const highest = fences.at(-1)?.number ?? 0;
  return fence.number > highest ? [...fences, fence].slice(-rememberedFences) : fences;
}
