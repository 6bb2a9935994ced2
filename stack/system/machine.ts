import { access, constants } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';

export type StackEnvironment = Readonly<Record<string, string | undefined>>;

/** The machine that the local stack runs on: the folders of its programs, and the cache for downloaded programs. */
export interface Machine {
  readonly environment: StackEnvironment;
  /** The absolute path of the cache, which all checkouts of this user share. */
  readonly cacheDirectory: string;
  readonly platform: NodeJS.Platform;
}

/**
 * The machine of an environment. The cache folder follows the XDG Base Directory Specification: `$XDG_CACHE_HOME` if it
 * is absolute, else `~/.cache`.
 */
export function describeMachine(
  environment: StackEnvironment,
  platform: NodeJS.Platform = process.platform,
): Machine {
  const { XDG_CACHE_HOME: configured, HOME: home } = environment;
  const caches =
    configured !== undefined && isAbsolute(configured) ? configured : join(home ?? homedir(), '.cache');
  return {
    environment,
    cacheDirectory: join(caches, 'postrider'),
    platform,
  };
}

/** The path of a program in `PATH`, or undefined if `PATH` contains no such program. */
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

async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
