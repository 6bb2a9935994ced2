import type { DeadLetters } from '../shared/kafka/deadLetters.js';
import type { ModelDocument } from '../shared/mongo/documents.js';
import { readFencing } from '../shared/topics/fence.js';
import type { Decoded, RawRecord } from '../shared/topics/record.js';
import { placed, type ReadRecord } from './foldBatch.js';
import type { Projection } from './projection.js';
import type { Sift } from './sift.js';

export interface RecordReader<Model extends ModelDocument> {
  readonly projection: Projection<Model>;
  readonly deadLetters: DeadLetters;
  readonly sift: Sift;
}

/**
 * Reads what is to be folded, and sets aside what cannot be read.
 * @param records of one partition
 */
export async function readOrSetAside<Model extends ModelDocument>(
  { projection, deadLetters, sift }: RecordReader<Model>,
  records: readonly RawRecord[],
): Promise<readonly ReadRecord<Model>[]> {
  const readable: ReadRecord<Model>[] = [];
  for (const record of await sift(records)) {
    const decoded = readRecord(projection, record);
    if (decoded.readable) {
      readable.push(decoded.content);
    } else {
      // As it stands in the log: what was sealed stays so.
      await deadLetters.append(
        records.find(({ offset }) => offset === record.offset) ?? record,
        decoded.reason,
      );
    }
  }
  return readable;
}

/** Reads one record. A fence concerns no document of the model: it decides which later records are folded. */
export function readRecord<Model extends ModelDocument>(
  projection: Pick<Projection<Model>, 'read'>,
  record: RawRecord,
): Decoded<ReadRecord<Model>> {
  const fencing = readFencing(record);
  if (!fencing.readable) {
    return fencing;
  }
  if (fencing.content?.kind === 'fence') {
    return { readable: true, content: { record: placed(record), foldings: [], fencing: fencing.content } };
  }
  const decoded = projection.read(record);
  return decoded.readable
    ? {
        readable: true,
        content: {
          record: placed(record),
          foldings: decoded.content,
          ...(fencing.content !== null && { fencing: fencing.content }),
        },
      }
    : decoded;
}
