import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';

import { startStack } from '../../stack/stack.js';
import type { Mutation } from './mutation.js';

/** Copies of the project that may be broken, and servers that the tests of all of them share. */
export interface Workshop {
  /** Works on all items, as many at once as there are copies. */
  forEach: <Item>(items: readonly Item[], work: (item: Item, bench: Bench) => Promise<void>) => Promise<void>;
  close: () => Promise<void>;
}

/** One copy. */
export interface Bench {
  /** Breaks the copy; gives what mends it, or null where the text to replace does not stand there once. */
  breakWith: (mutation: Mutation) => Promise<(() => Promise<void>) | null>;
  /** Whether the test of a mutation passes in the copy as it is. */
  passes: (mutation: Pick<Mutation, 'test' | 'grep'>) => Promise<boolean>;
  /** Which of these parts of names have tests in a file that all pass in the copy as it is. */
  passingOf: (test: string, parts: readonly string[]) => Promise<ReadonlySet<string>>;
}

/** What a copy needs to run its tests. */
const folders = [
  'api',
  'cli',
  'consumers',
  'dashboard',
  'projections',
  'shared',
  'stack',
  'test',
  'examples',
  'docs',
];
const files = [
  'package.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'vite.config.js',
  '.mocharc.json',
  // What is generated is laid out as these say.
  '.prettierrc.json',
  '.editorconfig',
  'docker-compose.yml',
];
/** A mutation may well make its test hang; that is noticed too. */
const longestRunMs = 180_000;

export async function openWorkshop(benches: number, onProgress: (line: string) => void): Promise<Workshop> {
  const directory = await mkdtemp(join(tmpdir(), 'postrider-mutations-'));
  const servers = join(directory, 'servers');
  const stack = await startStack({ directory: servers, ephemeral: true, onProgress });
  const all = await Promise.all(
    Array.from({ length: benches }, (_, index) => openBench(join(directory, `copy-${index}`), servers)),
  );
  return {
    forEach: async (items, work) => {
      const left = items.values();
      await Promise.all(
        all.map(async (bench) => {
          for (const item of left) {
            await work(item, bench);
          }
        }),
      );
    },
    close: async () => {
      await stack.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function openBench(copy: string, servers: string): Promise<Bench> {
  await mkdir(copy);
  for (const entry of [...folders, ...files]) {
    await cp(entry, join(copy, entry), { recursive: true });
  }
  await symlink(resolve('node_modules'), join(copy, 'node_modules'));
  // Where tests look for servers that run already.
  await symlink(servers, join(copy, '.postrider'));
  const mocha = async (test: string, options: readonly string[]) => {
    if (/^test\/(cli|endToEnd)\//.test(test)) {
      // Only these start compiled roles. Types may well be broken, and nobody looks at them.
      await command(copy, 'tsc', ['-p', 'tsconfig.build.json', '--noEmitOnError', 'false', '--noCheck']);
    }
    if (test.endsWith('.browser.ts')) {
      await command(copy, 'vite', ['build', '--logLevel', 'silent']);
    }
    return command(copy, 'mocha', ['--no-parallel', '--fail-zero', ...options, test]);
  };
  const passes: Bench['passes'] = async ({ test, grep }) =>
    (await mocha(test, ['--bail', '--reporter', 'dot', '--fgrep', grep])) === 0;
  const passingOf: Bench['passingOf'] = async (test, parts) => {
    const output = join(copy, 'report.json');
    await rm(output, { force: true });
    const pattern = parts.map((part) => part.replaceAll(/[^\w\s]/gu, '\\$&')).join('|');
    await mocha(test, ['--reporter', 'json', '--reporter-option', `output=${output}`, '--grep', pattern]);
    return passingParts(parts, await readFile(output, 'utf8').catch(() => '{"passes":[],"failures":[]}'));
  };
  return {
    passes,
    passingOf,
    breakWith: async ({ file, find, replace }) => {
      const path = join(copy, file);
      const text = await readFile(path, 'utf8');
      if (text.split(find).length !== 2) {
        return null;
      }
      await writeFile(
        path,
        text.replace(find, () => replace),
      );
      return () => writeFile(path, text);
    },
  };
}

interface Report {
  readonly passes: readonly { readonly fullTitle: string }[];
  readonly failures: readonly { readonly fullTitle: string }[];
}

function passingParts(parts: readonly string[], text: string): ReadonlySet<string> {
  const { passes, failures } = JSON.parse(text) as Report;
  const names = (part: string) => (one: { readonly fullTitle: string }) => one.fullTitle.includes(part);
  return new Set(parts.filter((part) => passes.some(names(part)) && !failures.some(names(part))));
}

/** The exit code; 1 where it was ended because it took too long. */
async function command(directory: string, name: string, words: readonly string[]): Promise<number> {
  const program = resolve('node_modules/.bin', name);
  const child = spawn(program, words, { cwd: directory, stdio: 'ignore', detached: true });
  const end = () => {
    endGroup(child.pid);
  };
  const timer = setTimeout(end, longestRunMs);
  const [code] = (await once(child, 'exit')) as [number | null];
  clearTimeout(timer);
  // A test that has failed may have left roles behind.
  end();
  return code ?? 1;
}

function endGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) {
      process.kill(-leader, 'SIGKILL');
    }
  } catch {
    // Nothing of it is left.
  }
}
