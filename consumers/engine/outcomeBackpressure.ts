import { createAbortCallbacks } from '../../shared/concurrency/abortCallbacks.js';
import { UnavailableError } from '../../shared/core/errors.js';

/**
 * Delays attempts while the partition of `deliveries` for their outcomes acknowledges no records: the home partition of
 * the event.
 */
export interface OutcomeBackpressure {
  /**
   * Resolves as soon as the partition acknowledges outcomes promptly, or when the signal is aborted.
   * @throws UnavailableError if the partition has not recovered within 30 s
   */
  readonly whenPrompt: (partition: number, signal: AbortSignal) => Promise<void>;
  /**
   * Resolves when the append of an outcome has ended, or after a second. If the append takes longer than a second, the
   * partition is stalled until the append ends.
   */
  readonly observe: (partition: number, append: Promise<unknown>) => Promise<void>;
}

interface StalledPartition {
  /** The number of outcomes that have waited for longer than a second. */
  outcomes: number;
  /** Settles when no outcome of the partition waits any more. */
  readonly recovered: Promise<void>;
  readonly recover: () => void;
}

const defaultPromptMs = 1000;
const defaultLongestWaitMs = 30_000;

/**
 * The backpressure of outcomes on attempts. An attempt keeps its slot until its outcome is acknowledged, so that a
 * crash repeats no more attempts than there are slots. A partition without a leader would thus occupy the slots of
 * every webhook. So an attempt returns its slot after a second, and no attempt of the stalled partition begins until
 * its outcomes are acknowledged again.
 * @param promptMs how long an outcome may take before its partition counts as stalled, in milliseconds
 * @param longestWaitMs how long an attempt waits for a stalled partition, in milliseconds
 */
export function createOutcomeBackpressure(
  promptMs = defaultPromptMs,
  longestWaitMs = defaultLongestWaitMs,
): OutcomeBackpressure {
  const stalled = new Map<number, StalledPartition>();
  const abortCallbacks = createAbortCallbacks();

  /**
   * Whether a promise settles before the timeout and before the signal is aborted. The given promise must not reject.
   */
  const settledWithin = (promise: Promise<unknown>, timeoutMs: number, signal?: AbortSignal) =>
    new Promise<boolean>((resolve) => {
      const end = (isSettled: boolean) => {
        clearTimeout(timer);
        withdraw?.();
        resolve(isSettled);
      };
      const giveUp = () => {
        end(false);
      };
      const timer = setTimeout(giveUp, timeoutMs);
      const withdraw = signal && abortCallbacks.add(signal, giveUp);
      void promise.then(() => {
        end(true);
      });
    });

  const stall = (partition: number, append: Promise<unknown>) => {
    const state = stalled.get(partition) ?? stalledPartition();
    stalled.set(partition, state);
    state.outcomes += 1;
    void append.finally(() => {
      state.outcomes -= 1;
      if (state.outcomes === 0) {
        stalled.delete(partition);
        state.recover();
      }
    });
  };

  return {
    whenPrompt: async (partition, signal) => {
      const stateNow = () => stalled.get(partition);
      const deadline = performance.now() + longestWaitMs;
      for (let state = stateNow(); state !== undefined && !signal.aborted; state = stateNow()) {
        const remainingMs = deadline - performance.now();
        if (remainingMs <= 0) {
          throw new UnavailableError("Kafka does not acknowledge outcomes in the event's partition");
        }
        await settledWithin(state.recovered, remainingMs, signal);
      }
    },
    observe: async (partition, append) => {
      const settled = append.catch(() => null);
      const isPrompt = await settledWithin(settled, promptMs);
      if (!isPrompt) {
        stall(partition, settled);
      }
    },
  };
}

function stalledPartition(): StalledPartition {
  let recover: () => void = () => undefined;
  const recovered = new Promise<void>((resolve) => {
    recover = resolve;
  });
  return { outcomes: 0, recovered, recover };
}
