import { printStatus } from './output.js';

/** The interval of progress lines of a long command. */
const intervalMs = 2000;

/** Prints the progress of long work on standard error. Work that takes less than the interval prints nothing. */
export function createProgress(now: () => number = () => performance.now()): (line: () => string) => void {
  let next = now() + intervalMs;
  return (line) => {
    if (now() >= next) {
      next = now() + intervalMs;
      printStatus(line());
    }
  };
}
