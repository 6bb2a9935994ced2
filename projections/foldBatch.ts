import type { ModelDocument } from '../shared/mongo/documents.js';
import type { DocumentChange } from '../shared/mongo/documentWrites.js';
import type { RawRecord } from '../shared/topics/record.js';
import type { Folding } from './projection.js';

export interface ReadRecord<Model extends ModelDocument> {
  readonly record: RawRecord;
  readonly foldings: readonly Folding<Model>[];
}

/**
 * Folds records, in their order, into the documents that they are about. A record at or below a document's position
 * in that partition was folded before: it changes nothing, however often it comes again.
 */
export function foldBatch<Model extends ModelDocument>(
  loaded: ReadonlyMap<string, Model>,
  records: readonly ReadRecord<Model>[],
): readonly DocumentChange<Model>[] {
  const folded = new Map<string, Model>();
  const fold = (record: RawRecord, folding: Folding<Model>) => {
    const document = folded.get(folding.id) ?? loaded.get(folding.id) ?? null;
    const source = `${record.topic}/${record.partition}`;
    if (document !== null && record.offset <= (document.positions[source] ?? -1)) {
      return;
    }
    const next = folding.apply(document);
    if (next !== null) {
      folded.set(folding.id, { ...next, positions: { ...next.positions, [source]: record.offset } });
    }
  };
  for (const { record, foldings } of records) {
    foldings.forEach((folding) => {
      fold(record, folding);
    });
  }
  return [...folded].map(([id, after]) => ({ before: loaded.get(id) ?? null, after }));
}
