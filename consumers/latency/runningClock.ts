import { performance } from 'node:perf_hooks';

import { onAlignedInterval } from '../../shared/concurrency/alignedTimers.js';

/** A monotonic clock that stops while this process does not run. */
export interface RunningClock {
  /** Milliseconds since the start, without pauses. */
  readonly now: () => number;
  readonly stop: () => void;
}

const tickMs = 1000;
/** More than the longest time between two ticks of a process that runs, which is one and a half intervals. */
const longestStepMs = 2 * tickMs;

/**
 * Measures how long webhooks take, without the pauses of this process (SIGSTOP, a suspended virtual machine). Otherwise each webhook
 * with an exchange in flight would pass for one that hangs as soon as the process runs again, and its deliveries would be deferred for minutes.
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
