import { createAbortCallbacks } from '../../shared/concurrency/abortCallbacks.js';
import { createBoundedSet } from '../../shared/concurrency/boundedMap.js';
import type { WorkResult } from '../../shared/log/window/windowedConsumer.js';

/**
 * What work on an attempt, or on a retry record, has come to. Only the first two mean that the log has it:
 * - `done`: the outcome, or the retry record, is acknowledged;
 * - `deferred`: a retry record of the same attempt is acknowledged, and comes back under the same key;
 * - `abandoned`: the log has nothing.
 */
export type InFlightResult = WorkResult | 'deferred';

/** The work of this process that is in flight or was done lately, by keys that name one attempt or one retry record. */
export interface InFlightRegistry {
  /**
   * Runs `work`, unless the log has what it would append. A duplicate of work that is in flight waits for the result. If that
   * work is abandoned or throws, one of the waiting duplicates runs its own work, and the others wait for that one.
   * @param signal ends the wait for others with `abandoned`; without one the wait ends with their work
   * @returns `done` if the outcome or the retry record is in the log, no matter which caller has appended it
   * @throws what `work` throws, to the caller that ran it
   */
  readonly run: (
    key: string,
    work: () => Promise<InFlightResult>,
    signal?: AbortSignal,
  ) => Promise<WorkResult>;
}

/** @param capacity how many finished keys are remembered; the oldest are forgotten first */
export function createInFlightRegistry(capacity: number): InFlightRegistry {
  /** How the work in flight ends. These promises never reject. */
  const inFlight = new Map<string, Promise<InFlightResult>>();
  const done = createBoundedSet<string>(capacity);
  const abortCallbacks = createAbortCallbacks();

  /** The result, or `abandoned` as soon as the signal is aborted. */
  const unlessAborted = async (result: Promise<InFlightResult>, signal: AbortSignal | undefined) => {
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

  const runFirst = async (key: string, work: () => Promise<InFlightResult>): Promise<WorkResult> => {
    const working = work();
    inFlight.set(
      key,
      working.catch(() => 'abandoned' as const),
    );
    try {
      const result = await working;
      if (result === 'done') {
        done.add(key);
      }
      return inLog(result);
    } finally {
      // Before a waiting duplicate continues: the first of them finds the key free and runs its own work.
      inFlight.delete(key);
    }
  };

  return {
    run: async (key, work, signal) => {
      for (;;) {
        if (done.has(key)) {
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

function inLog(result: InFlightResult): WorkResult {
  return result === 'abandoned' ? 'abandoned' : 'done';
}
