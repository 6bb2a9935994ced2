import { execFile } from 'node:child_process';

import { hasCode } from './errors.js';
import { failure, type Outcome, success } from './outcome.js';

const outputBytes = 4 * 1024 * 1024;
const reasonCharacters = 300;

export interface CommandOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly directory?: string;
  /** The command is ended after this time. */
  readonly timeoutMs: number;
  /** The command is ended where it prints nothing for this time: for one that reports its progress. */
  readonly silenceMs?: number;
}

/** Runs a program to its end. @returns all that it printed, or why it failed, in one line */
export function runCommand(
  file: string,
  args: readonly string[],
  options: CommandOptions,
): Promise<Outcome<string>> {
  return new Promise((resolve) => {
    const child = execFile(
      file,
      args,
      {
        env: { ...options.environment },
        cwd: options.directory,
        timeout: options.timeoutMs,
        maxBuffer: outputBytes,
      },
      (error, stdout, stderr) => {
        clearTimeout(silence);
        resolve(error === null ? success(stdout + stderr) : failure(explain(error, stdout, stderr)));
      },
    );
    const silence = setTimeout(() => child.kill(), options.silenceMs ?? options.timeoutMs);
    child.stdout?.on('data', () => silence.refresh());
  });
}

function explain(error: Error & { killed?: boolean }, stdout: string, stderr: string): string {
  if (hasCode(error, 'ENOENT')) {
    return 'not found';
  }
  if (error.killed === true) {
    return 'gave no sign of progress and was ended';
  }
  const lines = `${stdout}\n${stderr}`.split('\n').filter((line) => line.trim() !== '');
  // pip and mvn put the cause into the first line marked as an error and hints into those that follow.
  const cause = lines.find((line) => /^(\[?error\]?|fatal)\b/i.test(line)) ?? lines.at(-1) ?? error.message;
  return cause.trim().slice(0, reasonCharacters);
}
