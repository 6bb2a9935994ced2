/** The clocks of a process. */
export interface ProcessClocks {
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** For how many milliseconds of it this process has had nothing to do so far. */
  readonly idleMs: () => number;
}

export interface Moment {
  readonly at: number;
  /** For how long this process had had nothing to do by then. */
  readonly idleMs: number;
}

/** What this process itself may have made of a duration. What is beyond is not its doing. */
export const longestProcessMs = 2_000;

/** Measures what others take, without the time for which this process had something else to do. */
export function createProcessTime({ now, idleMs }: ProcessClocks) {
  return {
    moment: (): Moment => ({ at: now(), idleMs: idleMs() }),
    sinceMs: (begin: Moment): number => {
      const durationMs = now() - begin.at;
      const busyMs = durationMs - (idleMs() - begin.idleMs);
      return durationMs - Math.min(Math.max(0, busyMs), longestProcessMs);
    },
  };
}
