import { access, constants } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';

import { failure, type Outcome, success } from './outcome.js';

export type StackEnvironment = Readonly<Record<string, string | undefined>>;

/** The machine that the stack runs on: where its tools are, and where those that it lacks are kept. */
export interface Machine {
  readonly environment: StackEnvironment;
  /** Absolute; shared by all checkouts of this user. */
  readonly cacheDirectory: string;
  readonly isRoot: boolean;
}

/** Follows the XDG Base Directory Specification: `$XDG_CACHE_HOME` if it is absolute, else `~/.cache`. */
export function describeMachine(environment: StackEnvironment): Machine {
  const { XDG_CACHE_HOME: configured, HOME: home } = environment;
  const caches =
    configured !== undefined && isAbsolute(configured) ? configured : join(home ?? homedir(), '.cache');
  return {
    environment,
    cacheDirectory: join(caches, 'postrider'),
    isRoot: process.getuid?.() === 0,
  };
}

/** The path of a program in `PATH`; undefined if there is none. */
export async function findProgram(machine: Machine, name: string): Promise<string | undefined> {
  const { PATH: path = '' } = machine.environment;
  for (const directory of path.split(delimiter).filter(isAbsolute)) {
    const candidate = join(directory, name);
    if (await isExecutable(candidate)) {
      return candidate;
    }
  }
  return undefined;
}

/** A program that must be in `PATH`. @returns its path, or that there is none */
export async function requireProgram(machine: Machine, name: string): Promise<Outcome<string>> {
  const program = await findProgram(machine, name);
  return program === undefined ? failure(`no ${name} in PATH`) : success(program);
}

async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
