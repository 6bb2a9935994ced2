import { createAbortCallbacks } from '../../shared/concurrency/abortCallbacks.js';
import { createBoundedSet } from '../../shared/concurrency/boundedMap.js';
import type { WorkResult } from '../../shared/log/window/retryingHandler.js';

/**
 * The result of the work on an attempt or on a retry record:
 * - `done`: the log has acknowledged the outcome or the retry record;
 * - `parked`: the log has acknowledged that the attempt waits, and only its release has work;
 * - `abandoned`: the log has no record of the work.
 */
export type DeliveryEnd = WorkResult | 'parked';

/** The work of this process that is in flight or was done lately. Each key names one attempt or one retry record. */
export interface InFlightRegistry {
  /**
   * Runs `work`, unless the log has the records that `work` would append. A duplicate call for work in flight waits for
   * the result of that work. If the work is abandoned or throws, one waiting duplicate runs its own work, and the other
   * duplicates wait for that work.
   * @param signal ends the wait for another caller's work with `abandoned`; without a signal the wait ends with that
   * work
   * @param isRelease whether the work releases a parked attempt. All other work on a parked attempt is done. A copy of
   * its source record may be read before the model shows that it is parked.
   * @returns `done` if the outcome or the retry record is in the log, no matter which caller has appended it
   * @throws what `work` throws, to the caller that ran it
   */
  readonly run: (
    key: string,
    work: () => Promise<DeliveryEnd>,
    signal?: AbortSignal,
    isRelease?: boolean,
  ) => Promise<WorkResult>;
  /** Whether this process has done the work of a key lately. */
  readonly hasDone: (key: string) => boolean;
}

/** @param capacity how many finished keys are remembered; the oldest keys are forgotten first */
export function createInFlightRegistry(capacity: number): InFlightRegistry {
  /** The results of the work in flight by key, as promises that never reject. */
  const inFlight = new Map<string, Promise<DeliveryEnd>>();
  const done = createBoundedSet<string>(capacity);
  const parked = createBoundedSet<string>(capacity);
  const abortCallbacks = createAbortCallbacks();

  /** Returns the result, or `abandoned` as soon as the signal is aborted. */
  const unlessAborted = async (result: Promise<DeliveryEnd>, signal: AbortSignal | undefined) => {
    if (signal === undefined || signal.aborted) {
      return signal === undefined ? result : 'abandoned';
    }
    let withdraw: () => void = () => undefined;
    const aborted = new Promise<'abandoned'>((resolve) => {
      withdraw = abortCallbacks.add(signal, () => {
        resolve('abandoned');
      });
    });
    try {
      return await Promise.race([result, aborted]);
    } finally {
      withdraw();
    }
  };

  const runFirst = async (key: string, work: () => Promise<DeliveryEnd>): Promise<WorkResult> => {
    const working = work();
    inFlight.set(
      key,
      working.catch(() => 'abandoned' as const),
    );
    try {
      const result = await working;
      if (result !== 'abandoned') {
        (result === 'done' ? done : parked).add(key);
      }
      return inLog(result);
    } finally {
      // The key is deleted before a waiting duplicate continues, because the first duplicate runs its own work.
      inFlight.delete(key);
    }
  };

  const hasNoWork = (key: string, isRelease: boolean) => done.has(key) || (!isRelease && parked.has(key));

  return {
    hasDone: (key) => done.has(key),
    run: async (key, work, signal, isRelease) => {
      for (;;) {
        if (hasNoWork(key, isRelease === true)) {
          return 'done';
        }
        const first = inFlight.get(key);
        if (first === undefined) {
          return runFirst(key, work);
        }
        if (inLog(await unlessAborted(first, signal)) === 'done') {
          return 'done';
        }
        if (signal?.aborted === true) {
          return 'abandoned';
        }
      }
    },
  };
}

function inLog(result: DeliveryEnd): WorkResult {
  return result === 'abandoned' ? 'abandoned' : 'done';
}
