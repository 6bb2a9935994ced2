import { messageOf } from '../../shared/core/errors.js';
import type { DeadLetters, UnfoldedRecord } from '../../shared/log/deadLetters/deadLetters.js';
import type { ModelDocument } from '../../shared/store/models/documents.js';
import { readFencing } from '../../shared/log/records/fence.js';
import type { Decoded, RawRecord } from '../../shared/log/encoding/record.js';
import { placed, type ReadRecord } from '../fold/foldBatch.js';
import type { PoisonRecords } from '../fold/poisonRecords.js';
import type { Projection } from '../models/projection.js';
import type { FilterAndDecrypt } from './filterAndDecrypt.js';

export interface RecordReader<Model extends ModelDocument> {
  readonly projection: Projection<Model>;
  readonly deadLetters: DeadLetters;
  readonly filterAndDecrypt: FilterAndDecrypt;
  /** The records that a fold has failed on. */
  readonly poison: Pick<PoisonRecords, 'reasonOf' | 'noteSetAside' | 'isSetAside'>;
}

type FoldSession<Model extends ModelDocument> =
  | Decoded<ReadRecord<Model>>
  | { readonly readable: false; readonly reason: string; readonly unfolded: UnfoldedRecord };

/**
 * Reads what is to be folded, and sets aside what cannot be read, and what a fold has failed on. A record that cannot be set aside now is
 * tried again with its batch.
 * @param records of one partition
 */
export async function readOrSetAside<Model extends ModelDocument>(
  reader: RecordReader<Model>,
  records: readonly RawRecord[],
): Promise<readonly ReadRecord<Model>[]> {
  const readable: ReadRecord<Model>[] = [];
  for (const record of await reader.filterAndDecrypt(records)) {
    const read = readOne(reader, record);
    if (read.readable) {
      readable.push(read.content);
    } else if (!reader.poison.isSetAside(record)) {
      // As it stands in the log: what was sealed stays so.
      const stored = records.find(({ offset }) => offset === record.offset) ?? record;
      await reader.deadLetters.append(stored, read.reason, 'unfolded' in read ? read.unfolded : undefined);
      reader.poison.noteSetAside(record);
    }
  }
  return readable;
}

/** Reads one record. A fence concerns no document of the model: it decides which later records are folded. */
export function readModelRecord<Model extends ModelDocument>(
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

function readOne<Model extends ModelDocument>(
  { projection, poison }: RecordReader<Model>,
  record: RawRecord,
): FoldSession<Model> {
  const model = projection.name;
  const unfoldable = (reason: string): FoldSession<Model> => ({
    ...{ readable: false, unfolded: { model } },
    reason: `the read model "${model}" cannot fold the record: ${reason}`,
  });
  const reason = poison.reasonOf(record);
  if (reason !== null) {
    return unfoldable(reason);
  }
  try {
    return readModelRecord(projection, record);
  } catch (error) {
    return unfoldable(messageOf(error));
  }
}
