import { performance } from 'node:perf_hooks';

import { onAlignedInterval } from '../../shared/concurrency/alignedTimers.js';

/** The clocks with which a process measures exchanges. */
export interface ProcessClocks {
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** The total idle time of this process's event loop, in milliseconds. */
  readonly idleMs: () => number;
}

export interface Moment {
  readonly at: number;
  /** The total idle time of the event loop at that moment, in milliseconds. */
  readonly idleMs: number;
}

/** The most busy time of this process that is subtracted from a duration, in milliseconds. */
export const longestProcessMs = 2_000;

/** Measures how long other systems take: the duration minus the time for which this process was busy. */
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

/** A monotonic clock that stops while this process is paused. */
export interface RunningClock {
  /** Milliseconds since the start of the clock, without the pauses. */
  readonly now: () => number;
  readonly stop: () => void;
}

const tickMs = 1000;
/** The longest step of the clock that is no pause. Without a pause, two ticks are at most 1.5 intervals apart. */
const longestStepMs = 2 * tickMs;

/**
 * The clock for the latency of webhooks. The clock excludes pauses of this process (SIGSTOP, a suspended virtual
 * machine). If pauses counted, each webhook with an exchange in flight would seem to hang after a pause, and its
 * deliveries would be deferred for minutes.
 * @param monotonicMs a monotonic clock, in milliseconds, which continues during a pause
 */
export function startRunningClock(monotonicMs = () => performance.now()): RunningClock {
  let runningMs = 0;
  let readAt = monotonicMs();
  const now = () => {
    const time = monotonicMs();
    const stepMs = time - readAt;
    readAt = time;
    runningMs += stepMs > longestStepMs ? 0 : stepMs;
    return runningMs;
  };
  return { now, stop: onAlignedInterval(tickMs, now) };
}
