import { printStatus } from './output.js';

/** How often a command that takes long tells how far it is. */
const intervalMs = 2000;

/** Tells how far long work is, on standard error: nothing of work that takes less than the interval. */
export function createProgress(now: () => number = () => performance.now()): (line: () => string) => void {
  let next = now() + intervalMs;
  return (line) => {
    if (now() >= next) {
      next = now() + intervalMs;
      printStatus(line());
    }
  };
}
