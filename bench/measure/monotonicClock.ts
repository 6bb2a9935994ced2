import process from 'node:process';

/** Milliseconds on the machine's monotonic clock, which all of its processes share: times of two of them compare. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
