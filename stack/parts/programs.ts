import { StackError } from '../system/errors.js';
import type { Machine } from '../system/machine.js';
import { javaPart } from './java.js';
import { kafkaPart } from './kafka.js';
import { mongodPart } from './mongod.js';
import { fetchPart, searchPart, type FetchOptions, type Part, type Search } from './part.js';
import { redisPart } from './redis.js';

export function stackParts(machine: Machine) {
  return {
    java: javaPart(machine),
    /** The folder that contains Kafka's jars. */
    kafkaLibs: kafkaPart(machine),
    mongod: mongodPart(machine),
    redisServer: redisPart(machine),
  };
}

/** The paths of all programs that the local stack runs. */
export type Programs = Readonly<Record<keyof ReturnType<typeof stackParts>, string>>;

/**
 * Finds or downloads every part of the local stack.
 * @throws StackError that names every part that cannot be obtained
 */
export function obtainPrograms(machine: Machine, onProgress: (line: string) => void): Promise<Programs> {
  return obtainParts(stackParts(machine), { cacheDirectory: machine.cacheDirectory, onProgress });
}

interface MissingPart {
  readonly part: Part;
  readonly reasons: readonly string[];
}

/**
 * The path of each part: from the machine, else from the cache, else by the first way that works. All parts are
 * searched before the first download, so that a missing part makes no download useless.
 * @throws StackError that names every part that cannot be obtained, the attempts, and the commands that install the
 * part
 */
export async function obtainParts<Name extends string>(
  parts: Readonly<Record<Name, Part>>,
  options: FetchOptions,
): Promise<Record<Name, string>> {
  const searches = await forEach(parts, (part) => searchPart(part, options.cacheDirectory));
  refuseMissing(parts, searches);
  const fetched = await forEach(parts, async (part, name) => {
    const search = searches[name];
    return search.kind === 'fetchable' ? fetchPart(part, search, options) : search;
  });
  refuseMissing(parts, fetched);
  return forEach(fetched, (found) => Promise.resolve(found.kind === 'present' ? found.path : ''));
}

async function forEach<Name extends string, Value, Result>(
  values: Readonly<Record<Name, Value>>,
  work: (value: Value, name: Name) => Promise<Result>,
): Promise<Record<Name, Result>> {
  const names = Object.keys(values) as Name[];
  const results = await Promise.all(names.map(async (name) => [name, await work(values[name], name)]));
  return Object.fromEntries(results) as Record<Name, Result>;
}

function refuseMissing<Name extends string>(
  parts: Readonly<Record<Name, Part>>,
  searches: Readonly<Record<Name, Search>>,
): void {
  const missing = (Object.keys(parts) as Name[]).flatMap((name) => {
    const search = searches[name];
    return search.kind === 'missing' ? [{ part: parts[name], reasons: search.reasons }] : [];
  });
  if (missing.length > 0) {
    throw new StackError(describeMissing(missing));
  }
}

function describeMissing(missing: readonly MissingPart[]): string {
  const packagesOf = (manager: keyof Part['packages']) => [
    ...new Set(missing.flatMap(({ part }) => part.packages[manager])),
  ];
  return [
    `The local stack cannot start. These parts are missing: ${missing.map(({ part }) => part.name).join(', ')}.`,
    ...missing.flatMap(({ part, reasons }) => [
      `${part.name}:`,
      ...reasons.map((reason) => `  - ${reason}`),
      `  To install it without a package manager, ${part.advice}.`,
    ]),
    'To install all of them:',
    `  Debian, Ubuntu:  sudo apt-get install ${packagesOf('debian').join(' ')}`,
    `  macOS:           brew install ${packagesOf('homebrew').join(' ')}`,
  ].join('\n');
}
