import { runCommand } from '../system/command.js';
import type { Machine } from '../system/machine.js';
import { failure, type Outcome, success } from '../system/outcome.js';

const limitMs = 20_000;

export interface VersionRule {
  /** What the program is run with to print its version. */
  readonly option: string;
  /** Finds the major version in what is printed. */
  readonly pattern: RegExp;
  readonly oldestMajor: number;
}

/** Runs a program for its version. @returns its path, or why it cannot be used: it does not run, or is too old */
export async function checkVersion(
  machine: Machine,
  path: string,
  { option, pattern, oldestMajor }: VersionRule,
): Promise<Outcome<string>> {
  const printed = await runCommand(path, [option], { environment: machine.environment, timeoutMs: limitMs });
  if (!printed.ok) {
    return failure(`${path}: ${printed.reason}`);
  }
  const found = pattern.exec(printed.value)?.[1] ?? 'unknown';
  return Number(found) >= oldestMajor
    ? success(path)
    : failure(`${path}: version ${found}, required is ${oldestMajor} or newer`);
}
