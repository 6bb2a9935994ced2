import type { DocumentChange } from '../../shared/store/models/documentWrites.js';
import type { ModelDocument } from '../../shared/store/models/documents.js';
import { fenceIdOf, type FenceDocument, type FencePosition } from '../../shared/store/models/fences.js';
import type { DocumentFold } from '../models/projection.js';
import { foldDocuments, type DecodedRecord } from './foldDocuments.js';

/** The effective records of a batch, and the changes of the fence documents. */
export interface FoldedFences<Model extends ModelDocument> {
  readonly changes: readonly DocumentChange<FenceDocument>[];
  readonly effective: readonly DecodedRecord<Model>[];
}

/**
 * The number of fences that a document remembers: more than the fences that a crash can cause to be folded again. Each
 * fence follows an expired lease, and no command runs until the models have read the last fence.
 */
const rememberedFences = 100;

/** The ids of the fence documents that decide which records are effective. A record without a number needs no fence. */
export function fenceIdsOf<Model extends ModelDocument>(
  records: readonly DecodedRecord<Model>[],
): readonly string[] {
  return [...new Set(records.flatMap(fenceIdsFor))];
}

/**
 * Folds fences, and drops each command with a lower number than an earlier fence in its partition. The fence is one of the
 * scope of the command, or of the floor of its account if the command concerns a tenant. The order within a partition is
 * total, so every fold and every rebuild drops the same records, in whatever order it reads the partitions. A fence is
 * compared by its offset and not by the time of its fold. After a crash between the two writes, records that precede the
 * fence are folded again.
 * @param loaded the documents of `fenceIdsOf(records)`
 */
export function foldFences<Model extends ModelDocument>(
  loaded: ReadonlyMap<string, FenceDocument>,
  records: readonly DecodedRecord<Model>[],
): FoldedFences<Model> {
  const changes = foldDocuments(loaded, records.filter(isFence).map(fenceRecord));
  const fences = new Map([...loaded, ...changes.map(({ after }) => [after._id, after] as const)]);
  return { changes, effective: records.filter((record) => !isFence(record) && !isStale(record, fences)) };
}

function fenceIdsFor<Model extends ModelDocument>({
  record,
  fencing,
}: DecodedRecord<Model>): readonly string[] {
  const { topic, partition } = record;
  const scopes = fencing === undefined ? [] : [fencing.scope, fencing.floor];
  return scopes.filter((scope) => scope !== undefined).map((scope) => fenceIdOf(scope, topic, partition));
}

function isFence<Model extends ModelDocument>({ fencing }: DecodedRecord<Model>): boolean {
  return fencing?.kind === 'fence';
}

function isStale<Model extends ModelDocument>(
  read: DecodedRecord<Model>,
  fences: ReadonlyMap<string, FenceDocument>,
): boolean {
  const number = read.fencing?.number ?? Number.POSITIVE_INFINITY;
  const before = fenceIdsFor(read).flatMap((id) => fences.get(id)?.fences ?? []);
  return before.some((fence) => fence.offset < read.record.offset && fence.number > number);
}

function fenceRecord<Model extends ModelDocument>(read: DecodedRecord<Model>): DecodedRecord<FenceDocument> {
  const [_id = ''] = fenceIdsFor(read);
  const position = { offset: read.record.offset, number: read.fencing?.number ?? 0 };
  const fold: DocumentFold<FenceDocument> = {
    id: _id,
    apply: (document) => ({
      _id,
      positions: document?.positions ?? {},
      fences: withFence(document?.fences ?? [], position),
    }),
  };
  return { record: read.record, folds: [fold] };
}

/** Adds a fence. A fence with a lower number than an earlier fence, whose lease had ended as well, changes nothing. */
function withFence(fences: readonly FencePosition[], fence: FencePosition): readonly FencePosition[] {
  const highest = fences.at(-1)?.number ?? 0;
  return fence.number > highest ? [...fences, fence].slice(-rememberedFences) : fences;
}
