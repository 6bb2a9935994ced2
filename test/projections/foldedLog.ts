import fc from 'fast-check';

import { foldDocuments, recordReference } from '../../projections/fold/foldDocuments.js';
import type { DocumentFold, Projection } from '../../projections/models/projection.js';
import type { OutgoingRecord, RawRecord } from '../../shared/log/encoding/record.js';
import { partitionOf } from '../../shared/log/topics/partition.js';
import type { DocumentChange } from '../../shared/store/models/documentWrites.js';
import type { ModelDocument } from '../../shared/store/models/documents.js';
import { rawRecord } from '../support/records.js';

/** The records of each partition of all topics, in the order of their offsets. */
export type Partitions = readonly (readonly RawRecord[])[];

/** The number of partitions of each topic. */
export const partitionCount = 3;

/** The log after these records were appended, each to its partition, or else to the partition of its key. */
export function appended(records: readonly OutgoingRecord[]): Partitions {
  const partitions = new Map<string, RawRecord[]>();
  for (const record of records) {
    const { partition = partitionOf(record.key, partitionCount) } = record;
    const name = `${record.topic}/${partition}`;
    const earlier = partitions.get(name) ?? [];
    partitions.set(name, [...earlier, rawRecord(record, { partition, offset: earlier.length })]);
  }
  return [...partitions.values()];
}

/** A fetch: its partition, its number of records, and how many folded records it reads again. */
interface Fetch {
  readonly partition: number;
  readonly length: number;
  readonly rewind: number;
}

function fetches(length: fc.Arbitrary<number>, rewind: fc.Arbitrary<number>): fc.Arbitrary<readonly Fetch[]> {
  return fc.array(fc.record({ partition: fc.nat(20), length, rewind }), { maxLength: 40 });
}

/** One record at a time, from changing partitions. */
export const interleavedFetches = fetches(fc.constant(1), fc.constant(0));
/** Batches of any length. */
export const batchedFetches = fetches(fc.integer({ min: 1, max: 6 }), fc.constant(0));
/** Fetches after crashes between the write of the documents and the commit: folded records are read again. */
export const rewoundFetches = fetches(fc.integer({ min: 1, max: 6 }), fc.nat(6));

/** The batches of these fetches. Partitions that no fetch reads to the end follow in full. */
export function batchesOf(partitions: Partitions, plan: readonly Fetch[]): readonly (readonly RawRecord[])[] {
  const next = partitions.map(() => 0);
  const fetched = plan.map(({ partition, length, rewind }) => {
    const index = partition % partitions.length;
    const from = Math.max(0, (next[index] ?? 0) - rewind);
    const batch = (partitions[index] ?? []).slice(from, from + length);
    next[index] = from + batch.length;
    return batch;
  });
  return [...fetched, ...partitions.map((records, index) => records.slice(next[index]))];
}

/**
 * The documents after these batches, folded and stored as the real model does it.
 * @param before the documents that exist before
 */
export function foldAll<Model extends ModelDocument>(
  projection: Projection<Model>,
  batches: readonly (readonly RawRecord[])[],
  before: ReadonlyMap<string, Model> = new Map(),
): ReadonlyMap<string, Model> {
  const stored = new Map(before);
  for (const batch of batches) {
    const loaded = new Map(
      [...stored].map(([id, document]) => [id, without(document, projection.unreadFields ?? [])]),
    );
    const records = batch.map((record) => ({
      record: recordReference(record),
      folds: foldsOf(projection, record),
    }));
    for (const change of foldDocuments(loaded, records)) {
      stored.set(change.after._id, written(stored.get(change.after._id), change));
    }
  }
  return stored;
}

/** The only document of these records. */
export function foldedDocument<Model extends ModelDocument>(
  projection: Projection<Model>,
  records: readonly RawRecord[],
): Model | undefined {
  const batches = records.map((record) => [record]);
  return [...foldAll(projection, batches).values()][0];
}

function foldsOf<Model extends ModelDocument>(
  projection: Projection<Model>,
  record: RawRecord,
): readonly DocumentFold<Model>[] {
  const decoded = projection.read(record);
  if (!decoded.readable) {
    throw new Error(decoded.reason);
  }
  return decoded.content;
}

/** Loaded fields have the values of the fold; other fields keep theirs. */
function written<Model extends ModelDocument>(
  stored: Model | undefined,
  { before, after }: DocumentChange<Model>,
): Model {
  return before === null || stored === undefined
    ? after
    : { ...without(stored, Object.keys(before)), ...after };
}

export function without<Document extends object>(document: Document, fields: readonly string[]): Document {
  const copy = { ...document };
  for (const field of fields) {
    Reflect.deleteProperty(copy, field);
  }
  return copy;
}
