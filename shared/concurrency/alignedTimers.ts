import { performance } from 'node:perf_hooks';

/**
 * The time until the next full interval of this process's clock, in whole milliseconds. The result is at least half an
 * interval.
 *
 * Timers share wake-ups, because each wake-up costs about 0.2 ms of CPU time. So periodic tasks run at full intervals
 * instead of intervals that start at any moment.
 */
export function untilAligned(intervalMs: number): number {
  const remaining = intervalMs - (performance.now() % intervalMs);
  return Math.ceil(remaining < intervalMs / 2 ? remaining + intervalMs : remaining);
}

/**
 * Calls a function at each full interval of this process's clock.
 * @returns a function that stops the calls
 */
export function onAlignedInterval(intervalMs: number, work: () => void): () => void {
  const beat = () => {
    timer = setTimeout(beat, untilAligned(intervalMs));
    work();
  };
  let timer = setTimeout(beat, untilAligned(intervalMs));
  return () => {
    clearTimeout(timer);
  };
}
