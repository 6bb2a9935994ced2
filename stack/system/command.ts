import { execFile } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';

import { hasCode } from './errors.js';
import { failure, type Outcome, success } from './outcome.js';

const outputBytes = 4 * 1024 * 1024;
// mvn names the artifact and its address several times before the cause.
const reasonCharacters = 1000;

export interface CommandOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The time limit after which the command is ended. */
  readonly timeoutMs: number;
}

/**
 * Runs a program until it ends.
 * @returns the whole output of the program, or the reason of its failure in one line
 */
export function runCommand(
  file: string,
  args: readonly string[],
  options: CommandOptions,
): Promise<Outcome<string>> {
  return new Promise((resolve) => {
    execFile(
      file,
      args,
      {
        env: { ...options.environment },
        timeout: options.timeoutMs,
        maxBuffer: outputBytes,
      },
      (error, stdout, stderr) => {
        resolve(error === null ? success(stdout + stderr) : failure(explain(error, stdout, stderr)));
      },
    );
  });
}

function explain(error: Error & { killed?: boolean }, stdout: string, stderr: string): string {
  if (hasCode(error, 'ENOENT')) {
    return 'not found';
  }
  if (error.killed === true) {
    return 'took too long and was ended';
  }
  // mvn resets the colors in front of its first line, even if its output is not a terminal.
  const output = stripVTControlCharacters(`${stdout}\n${stderr}`);
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  // pip and mvn print the cause in the first line that is marked as an error, and hints in the lines that follow.
  const cause = lines.find((line) => /^\[?error\b/i.test(line)) ?? lines.at(-1) ?? error.message;
  return cause.trim().slice(0, reasonCharacters);
}
