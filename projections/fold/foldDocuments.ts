import { runAtOnce, type Steps } from '../../shared/concurrency/sharedTurns.js';
import { recordIdOf } from '../../shared/log/encoding/cloudEvent.js';
import type { RawRecord } from '../../shared/log/encoding/record.js';
import type { Fencing } from '../../shared/log/records/fence.js';
import type { DocumentChange } from '../../shared/store/models/documentWrites.js';
import type { ModelDocument } from '../../shared/store/models/documents.js';
import type { DocumentFold } from '../models/projection.js';

export interface DecodedRecord<Model extends ModelDocument> {
  readonly record: RecordReference;
  readonly folds: readonly DocumentFold<Model>[];
  /** The fencing of the record, missing if the record has no fencing number. */
  readonly fencing?: Fencing;
}

/**
 * The identity and position of a record, without headers and payload. Thousands of records may be pending, and with
 * payloads the garbage collector would copy several times as much memory.
 */
export interface RecordReference extends Pick<RawRecord, 'topic' | 'partition' | 'offset' | 'timestamp'> {
  readonly id: string;
}

export function recordReference(record: RawRecord): RecordReference {
  const { topic, partition, offset, timestamp } = record;
  return { topic, partition, offset, timestamp, id: recordIdOf(record) };
}

/** Folds few records like `foldInSteps`, at once. */
export function foldDocuments<Model extends ModelDocument>(
  loaded: ReadonlyMap<string, Model>,
  records: readonly DecodedRecord<Model>[],
): readonly DocumentChange<Model>[] {
  return runAtOnce(foldInSteps(loaded, records));
}

/**
 * Folds records, in their order, into the documents that they change. A record at or below a document's position in the
 * partition was folded before. Such a record changes nothing, however often it is redelivered.
 */
export function* foldInSteps<Model extends ModelDocument>(
  loaded: ReadonlyMap<string, Model>,
  records: readonly DecodedRecord<Model>[],
): Steps<readonly DocumentChange<Model>[]> {
  const folded = new Map<string, FoldedDocument<Model>>();
  const stateOf = (id: string) => {
    const document = loaded.get(id) ?? null;
    return folded.get(id) ?? { document, positions: { ...document?.positions } };
  };
  const fold = (source: string, offset: number, { id, apply }: DocumentFold<Model>) => {
    const { document, positions } = stateOf(id);
    if (document !== null && offset <= (positions[source] ?? -1)) {
      return;
    }
    const next = apply(document);
    if (next !== null) {
      positions[source] = offset;
      folded.set(id, { document: next, positions });
    }
  };
  for (const { record, folds } of records) {
    const source = `${record.topic}/${record.partition}`;
    folds.forEach((one) => {
      fold(source, record.offset, one);
    });
    yield;
  }
  const changes: DocumentChange<Model>[] = [];
  for (const [id, { document, positions }] of folded) {
    changes.push({ before: loaded.get(id) ?? null, after: { ...document, positions } });
    yield;
  }
  return changes;
}

/** A document within a batch. The positions of the document are added once, at the end of the batch. */
interface FoldedDocument<Model extends ModelDocument> {
  readonly document: Model;
  readonly positions: Record<string, number>;
}
