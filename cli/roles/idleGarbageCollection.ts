import { Session } from 'node:inspector';
import process from 'node:process';

import { onAlignedInterval } from '../../shared/concurrency/alignedTimers.js';

const defaultIntervalMs = 5000;
/** Of an interval's processor time. An idle role takes some 1 %. */
const quietShare = 0.05;
/** What takes less, as a start does, leaves nothing behind that is worth a collection, which takes some 0.05 s. */
const worthwhileMs = 2000;

/**
 * Gives memory back once a process has become quiet. V8 lets its heaps grow while there is load, and may take a hundred seconds to
 * see that there is none any more; until then a process holds two to three times of what it needs.
 * @param intervalMs how long it has to be quiet for
 * @returns what ends that
 */
export function collectWhenIdle(intervalMs = defaultIntervalMs): () => void {
  const isDue = createIsDue(intervalMs);
  return onAlignedInterval(intervalMs, () => {
    if (isDue(processorTimeMs())) {
      collectGarbage();
    }
  });
}

/**
 * Whether a process has worked and has then been quiet for an interval; to be asked after each.
 * @returns a function of the processor time that the process has used so far, in milliseconds
 */
export function createIsDue(intervalMs: number): (usedMs: number) => boolean {
  let before = 0;
  /** Since the last collection, in intervals that were not quiet: steady work that is little is never interrupted. */
  let workedMs = 0;
  return (usedMs) => {
    const lately = usedMs - before;
    before = usedMs;
    if (lately >= intervalMs * quietShare) {
      workedMs += lately;
      return false;
    }
    const isDue = workedMs > worthwhileMs;
    workedMs = isDue ? 0 : workedMs;
    return isDue;
  };
}

/** Of all threads, in user and kernel mode. */
function processorTimeMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * What a debugger asks for where memory is low: all that can be given back is. (`gc` of `--expose-gc` leaves the heaps as large as
 * they are: 520 MB of 680 in place of 340.)
 */
function collectGarbage(): void {
  const session = new Session();
  session.connect();
  session.post('HeapProfiler.collectGarbage', () => {
    // A session that is ended within its own answer waits for itself, and the process with it.
    setImmediate(() => {
      session.disconnect();
    });
  });
}
