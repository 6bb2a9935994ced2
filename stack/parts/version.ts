import { runCommand } from '../system/command.js';
import type { Machine } from '../system/machine.js';
import { failure, type Outcome, success } from '../system/outcome.js';

const limitMs = 20_000;

export interface VersionRule {
  /** The command-line option with which the program prints its version. */
  readonly option: string;
  /** The pattern that finds the major version in the program's output. */
  readonly pattern: RegExp;
  readonly oldestMajor: number;
}

/**
 * Runs a program to read its version.
 * @returns the path of the program, or the reason why it cannot be used: it does not run, or is too old
 */
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
