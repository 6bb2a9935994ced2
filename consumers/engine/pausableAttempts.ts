import type { WorkInFlight } from '../../shared/log/window/workInFlight.js';

/** The attempts in flight, by the group whose record led to them. */
export interface PausableAttempts {
  /** To be called when a partition becomes ours, with the signal of that assignment and its group's work in flight. */
  readonly add: (signal: AbortSignal, group: WorkInFlight) => void;
  /** Resolves when the group begins attempts: at once, or at the end of its rebalance. */
  readonly whenReleased: (signal: AbortSignal) => Promise<void>;
  /** Runs an attempt, its outcome in the log included. Null, with nothing begun, while its group is rebalancing. */
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
