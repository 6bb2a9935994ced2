import process from 'node:process';

/** Prints the result of a command: text unchanged, anything else as JSON. */
export function print(output: unknown): void {
  process.stdout.write(`${typeof output === 'string' ? output : JSON.stringify(output, null, 2)}\n`);
}

/** Prints progress on standard error, so that it does not mix with the result. */
export function printStatus(line: string): void {
  process.stderr.write(`${line}\n`);
}

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
