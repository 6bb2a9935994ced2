import process from 'node:process';

/** Milliseconds of the machine's monotonic clock. Times of different processes are comparable. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
