import type { WorkInFlight } from '../../shared/kafka/workInFlight.js';

/** The attempts in flight, by the group whose record led to them. */
export interface GroupAttempts {
  /** To be called when a partition becomes ours, with the signal of that assignment and its group's work in flight. */
  readonly add: (signal: AbortSignal, group: WorkInFlight) => void;
  /**
   * Runs an attempt, its outcome in the log included, but begins none while its group is rebalancing. Null, with nothing begun, if
   * the partition is lost before.
   */
  readonly run: <Result>(signal: AbortSignal, attempt: () => Promise<Result>) => Promise<Result | null>;
}

export function createGroupAttempts(): GroupAttempts {
  const groups = new WeakMap<AbortSignal, WorkInFlight>();
  return {
    add: (signal, group) => {
      groups.set(signal, group);
    },
    run: (signal, attempt) => groups.get(signal)?.run(signal, attempt) ?? attempt(),
  };
}
