import type { Redrive } from '../../shared/log/deadLetters/redrive.js';
import type { DeadLetter } from '../../shared/log/records/deadLetter.js';
import { readPending, type DeadLetterSource, type PendingDeadLetters } from './pendingDeadLetters.js';

/**
 * The number of records in a batch. A crash between an append and its redrive markers appends at most this number of
 * records twice.
 */
const batchRecords = 100;
/**
 * The size limit of a batch in bytes. The batch stays below the broker's limit for a request, unless a single record is
 * larger.
 */
const batchBytes = 512 * 1024;

/**
 * Appends records with pending dead letters to their topics again. Each position is appended once, however many groups
 * have rejected the record. At most `limit` records are appended. A record that still cannot be read becomes a dead
 * letter again, after the range that this command reads. The command therefore does not redrive a record twice.
 * @returns the number of appended records
 */
export async function redrivePending(
  source: DeadLetterSource,
  open: readonly PendingDeadLetters[],
  { redrive, limit }: { readonly redrive: Redrive; readonly limit: number },
): Promise<number> {
  let redriven = 0;
  for (const ofTopic of open) {
    await readPending(source, ofTopic, async (letters) => {
      const chosen = firstOfEach(letters).slice(0, limit - redriven);
      for (const batch of batchesOf(chosen)) {
        await redrive(batch);
        batch.forEach(({ position }) => {
          ofTopic.positions.delete(position);
        });
        redriven += batch.length;
      }
    });
  }
  return redriven;
}

function firstOfEach(letters: readonly DeadLetter[]): readonly DeadLetter[] {
  const byPosition = new Map<string, DeadLetter>();
  for (const letter of letters) {
    const name = `${letter.position.partition}/${letter.position.offset}`;
    byPosition.set(name, byPosition.get(name) ?? letter);
  }
  return [...byPosition.values()];
}

function batchesOf(letters: readonly DeadLetter[]): readonly (readonly DeadLetter[])[] {
  const batches: DeadLetter[][] = [];
  let bytes = 0;
  for (const letter of letters) {
    const last = batches.at(-1);
    const size = sizeOf(letter);
    if (last !== undefined && last.length < batchRecords && bytes + size <= batchBytes) {
      last.push(letter);
      bytes += size;
    } else {
      batches.push([letter]);
      bytes = size;
    }
  }
  return batches;
}

function sizeOf({ key, value }: DeadLetter): number {
  return (key?.length ?? 0) + (value?.length ?? 0);
}
