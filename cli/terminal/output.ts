import process from 'node:process';

/** Prints the result of a command. Text is printed unchanged, and any other value as JSON. */
export function print(output: unknown): void {
  process.stdout.write(`${typeof output === 'string' ? output : JSON.stringify(output, null, 2)}\n`);
}

/** Prints the progress of a command on standard error, so that the progress does not mix with the result. */
export function printStatus(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** The interval of progress lines of a long command. */
const intervalMs = 2000;

/**
 * Prints the progress of a long command on standard error. A command that takes less than the interval prints no
 * progress.
 */
export function createProgress(): (line: () => string) => void {
  let next = performance.now() + intervalMs;
  return (line) => {
    if (performance.now() >= next) {
      next = performance.now() + intervalMs;
      printStatus(line());
    }
  };
}

/** The error of a command that cannot do its task. The program prints the error's message as one line. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
}
