import type { ModelDocument } from '../../shared/store/models/documents.js';
import type { DocumentChange } from '../../shared/store/models/documentWrites.js';
import { recordIdOf } from '../../shared/log/encoding/cloudEvent.js';
import type { Fencing } from '../../shared/log/records/fence.js';
import type { RawRecord } from '../../shared/log/encoding/record.js';
import type { Folding } from '../models/projection.js';

export interface ReadRecord<Model extends ModelDocument> {
  readonly record: PlacedRecord;
  readonly foldings: readonly Folding<Model>[];
  /** Missing if the record has no fencing number. */
  readonly fencing?: Fencing;
}

/**
 * Which record it is and where it stands. The rest was read: thousands of records wait to be folded, and with their headers the collector would
 * copy several times as much.
 */
export interface PlacedRecord extends Pick<RawRecord, 'topic' | 'partition' | 'offset' | 'timestamp'> {
  readonly id: string;
}

export function placed(record: RawRecord): PlacedRecord {
  const { topic, partition, offset, timestamp } = record;
  return { topic, partition, offset, timestamp, id: recordIdOf(record) };
}

/**
 * Folds records, in their order, into the documents that they are about. A record at or below a document's position
 * in that partition was folded before: it changes nothing, however often it comes again.
 */
export function foldBatch<Model extends ModelDocument>(
  loaded: ReadonlyMap<string, Model>,
  records: readonly ReadRecord<Model>[],
): readonly DocumentChange<Model>[] {
  const folded = new Map<string, Folded<Model>>();
  const stateOf = (id: string) => {
    const document = loaded.get(id) ?? null;
    return folded.get(id) ?? { document, positions: { ...document?.positions } };
  };
  const fold = (source: string, offset: number, { id, apply }: Folding<Model>) => {
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
  for (const { record, foldings } of records) {
    const source = `${record.topic}/${record.partition}`;
    foldings.forEach((folding) => {
      fold(source, record.offset, folding);
    });
  }
  return [...folded].map(([id, { document, positions }]) => ({
    before: loaded.get(id) ?? null,
    after: { ...document, positions },
  }));
}

/** A document within a batch: its positions are put into it once, at the end. */
interface Folded<Model extends ModelDocument> {
  readonly document: Model;
  readonly positions: Record<string, number>;
}
