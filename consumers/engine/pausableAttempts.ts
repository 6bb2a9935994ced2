import type { WorkInFlight } from '../../shared/log/window/workInFlight.js';

/** The attempts in flight, by the consumer group whose record led to them. */
export interface PausableAttempts {
  /** Must be called when a partition is assigned, with the signal of the assignment and the group's work in flight. */
  readonly add: (signal: AbortSignal, group: WorkInFlight) => void;
  /** Resolves when the group may begin attempts: at once, or at the end of its rebalance. */
  readonly whenReleased: (signal: AbortSignal) => Promise<void>;
  /** Runs an attempt until the log has its outcome. Null, with nothing begun, while its group is rebalancing. */
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
