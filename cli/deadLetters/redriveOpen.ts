import type { Redrive } from '../../shared/log/deadLetters/redrive.js';
import type { DeadLetter } from '../../shared/log/records/deadLetter.js';
import { readOpen, type DeadLetterSource, type OpenLetters } from './openDeadLetters.js';

/** As many records as a crash between their append and their markers would have appended twice. */
const batchRecords = 100;
/** Below the broker's bound of a request, but for a single record that is larger. */
const batchBytes = 512 * 1024;

/**
 * Appends open records to their topics again, each position once, however many groups have refused it; `limit` at most. What
 * still cannot be read comes to the dead letters again, behind what is read here: it is not met a second time.
 * @returns how many were appended
 */
export async function redriveOpen(
  source: DeadLetterSource,
  open: readonly OpenLetters[],
  { redrive, limit }: { readonly redrive: Redrive; readonly limit: number },
): Promise<number> {
  let redriven = 0;
  for (const ofTopic of open) {
    await readOpen(source, ofTopic, async (letters) => {
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
