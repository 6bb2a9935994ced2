import { performance } from 'node:perf_hooks';

/**
 * How long until the next full interval of this process's clock that is at least half an interval away, in whole milliseconds.
 *
 * What a process does again and again waits for this and not for an interval of its own: so all of it comes at the same
 * moment. With nothing else to do each waking costs some 0.2 ms of processor time, however little is done then, and a
 * process had thirty such timers.
 */
export function untilAligned(intervalMs: number): number {
  const remaining = intervalMs - (performance.now() % intervalMs);
  return Math.ceil(remaining < intervalMs / 2 ? remaining + intervalMs : remaining);
}

/**
 * Does something at each full interval.
 * @returns what ends that
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
