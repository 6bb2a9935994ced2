import process from 'node:process';

/** Prints what a command was asked for: text as it is, anything else as JSON. */
export function print(output: unknown): void {
  process.stdout.write(`${typeof output === 'string' ? output : JSON.stringify(output, null, 2)}\n`);
}

/** Tells how it goes, on standard error, where it does not mix with what was asked for. */
export function printStatus(line: string): void {
  process.stderr.write(`${line}\n`);
}
