import { Session } from 'node:inspector';
import process from 'node:process';

import { onAlignedInterval } from '../../shared/concurrency/alignedTimers.js';

const defaultIntervalMs = 5000;
/** The share of an interval's CPU time from which a process counts as busy. An idle role uses about 1%. */
const quietShare = 0.05;
/**
 * The least CPU time after which a garbage collection is worthwhile. A garbage collection takes about 0.05 s. The start
 * of a role uses less CPU time than this.
 */
const worthwhileMs = 2000;

/**
 * Returns memory to the system when a process has become idle. V8 lets its heaps grow under load, and may need a
 * hundred seconds to notice that the load has ended. During those seconds a process holds two to three times the memory
 * that it needs: the benchmark `idle` allows the roles 350 MB a minute after a load, and they held 680 MB.
 * @param intervalMs the length of the idle interval
 * @returns a function that stops the garbage collections
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
 * Whether a process was busy and has then been idle for an interval. The caller must call the returned function after
 * each interval.
 * @returns a function of the CPU time that the process has used so far, in milliseconds
 */
export function createIsDue(intervalMs: number): (usedMs: number) => boolean {
  let before = 0;
  /** The CPU time of busy intervals since the last garbage collection. A light but steady load is never interrupted. */
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

/** The CPU time of all threads, in user and kernel mode. */
function processorTimeMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * Releases all free memory by a request of the debugger's protocol. `gc` of `--expose-gc` leaves the heaps large: 520
 * MB of 680 MB instead of 340 MB.
 */
function collectGarbage(): void {
  const session = new Session();
  session.connect();
  session.post('HeapProfiler.collectGarbage', () => {
    // A debugger session that is closed inside its own callback would wait for itself forever, and block the process.
    setImmediate(() => {
      session.disconnect();
    });
  });
}
