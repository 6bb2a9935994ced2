import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve, sep } from 'node:path';
import process from 'node:process';

import { startStack } from '../../stack/stack.js';
import { mutate, type Mutation } from './mutation.js';
import { mutations } from './mutations.js';

const longestRunMs = 300_000;
/** A mutation may block its test. A run that takes this many times as long as without the mutation counts as noticed. */
const slowestRun = 3;
/** A short test may take longer by chance. */
const shortestLimitMs = 60_000;

const notCopied = ['.git', '.postrider', '.stryker-tmp', 'coverage', 'dist', 'node_modules', 'reports'];

/** Copies the project, so that a mutation never reaches the working tree. All tests share the servers of one stack. */
async function openCopy(directory: string): Promise<{ readonly close: () => Promise<void> }> {
  const isCopied = (source: string) => !notCopied.some((name) => source.split(sep).includes(name));
  await cp('.', directory, { recursive: true, filter: isCopied });
  await symlink(resolve('node_modules'), join(directory, 'node_modules'));
  const stack = await startStack({
    directory: join(directory, '.postrider'),
    ephemeral: true,
    onProgress: tell,
  });
  return { close: stack.stop };
}

type Command = readonly [string, ...string[]];

// A mutation may break types.
const buildProgram: Command = ['tsc', '-p', 'tsconfig.build.json', '--noEmitOnError', 'false', '--noCheck'];
const buildPage: Command = ['vite', 'build', '--logLevel', 'silent'];
const runTests: Command = ['mocha', '--no-parallel', '--bail', '--reporter', 'dot'];

/** Returns whether all tests of a file pass, and end within the time limit. */
async function passes(directory: string, test: string, timeLimitMs: number): Promise<boolean> {
  if (/^test\/(cli|endToEnd)\/|\.(outage|browser)\.ts$/.test(test)) {
    await run(directory, timeLimitMs, buildProgram);
  }
  if (test.endsWith('.browser.ts')) {
    await run(directory, timeLimitMs, buildPage);
  }
  return (await run(directory, timeLimitMs, [...runTests, test])) === 0;
}

/** Returns the exit code, or 1 if the program was killed because it took too long. */
async function run(directory: string, timeLimitMs: number, [program, ...words]: Command): Promise<number> {
  const path = resolve('node_modules/.bin', program);
  const child = spawn(path, words, { cwd: directory, stdio: 'ignore', detached: true });
  const killGroup = () => {
    try {
      process.kill(-(child.pid ?? NaN), 'SIGKILL');
    } catch {
      // The group has ended.
    }
  };
  const timer = setTimeout(killGroup, timeLimitMs);
  const [code] = (await once(child, 'exit')) as [number | null];
  clearTimeout(timer);
  // A failed test may leave processes running.
  killGroup();
  return code ?? 1;
}

/** How long the tests of a file take without a mutation. Null if they fail then: a failure would prove nothing. */
async function durationMsOf(directory: string, test: string): Promise<number | null> {
  const startedAt = performance.now();
  return (await passes(directory, test, longestRunMs)) ? performance.now() - startedAt : null;
}

async function verdictOn(
  directory: string,
  mutation: Mutation,
  durationMs: number,
): Promise<'noticed' | 'not noticed'> {
  const path = join(directory, mutation.file);
  const { text, mutated } = await mutate(mutation, directory);
  await writeFile(path, mutated);
  try {
    const timeLimitMs = Math.max(shortestLimitMs, slowestRun * durationMs);
    return (await passes(directory, mutation.test, timeLimitMs)) ? 'not noticed' : 'noticed';
  } finally {
    await writeFile(path, text);
  }
}

function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Runs the mutations whose file or test contains one of the texts, or all mutations if there is no text. */
async function main(texts: readonly string[]): Promise<boolean> {
  const isChosen = ({ file, test }: Mutation) =>
    texts.length === 0 || texts.some((text) => file.includes(text) || test.includes(text));
  const chosen = mutations.filter(isChosen);
  const directory = await mkdtemp(join(tmpdir(), 'postrider-mutations-'));
  const copy = await openCopy(directory);
  let noticed = 0;
  try {
    for (const test of new Set(chosen.map((mutation) => mutation.test))) {
      const durationMs = await durationMsOf(directory, test);
      for (const mutation of chosen.filter((one) => one.test === test)) {
        const verdict =
          durationMs === null
            ? 'the test fails without the mutation'
            : await verdictOn(directory, mutation, durationMs);
        noticed += verdict === 'noticed' ? 1 : 0;
        tell(`${verdict}: ${mutation.file} ${mutation.function} (${test})`);
      }
    }
  } finally {
    await copy.close();
    await rm(directory, { recursive: true, force: true });
  }
  tell(`${noticed} of ${chosen.length} mutations were noticed`);
  return noticed === chosen.length && noticed > 0;
}

process.exitCode = (await main(process.argv.slice(2))) ? 0 : 1;
