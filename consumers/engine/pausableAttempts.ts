import type { WorkInFlight } from '../../shared/log/window/workInFlight.js';

/** The attempts in flight, grouped by the consumer group whose records led to the attempts. */
export interface PausableAttempts {
  /**
   * Must be called for each assigned partition, with the signal of its assignment and the work in flight of its group.
   */
  readonly add: (signal: AbortSignal, group: WorkInFlight) => void;
  /** Resolves when the consumer group may begin attempts: at once, or at the end of its rebalance. */
  readonly whenReleased: (signal: AbortSignal) => Promise<void>;
  /**
   * Runs an attempt until the log has its outcome. Returns null, with nothing begun, during a rebalance of the group.
   */
  readonly run: <Result>(signal: AbortSignal, attempt: () => Promise<Result>) => Promise<Result | null>;
}

export function createPausableAttempts(): PausableAttempts {
  const groups = new WeakMap<AbortSignal, WorkInFlight>();
  return {
    add: (signal, group) => {
      groups.set(signal, group);
    },
    whenReleased: (signal) => groups.get(signal)?.whenReleased() ?? Promise.resolve(),
    run: async (signal, attempt) => {
      const group = groups.get(signal);
      return group === undefined ? attempt() : group.runUnlessHeld(attempt);
    },
  };
}
