import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve, sep } from 'node:path';
import process from 'node:process';

import { startStack } from '../../stack/stack.js';
import { mutate, type Mutation } from './mutation.js';
import { mutations } from './mutations.js';

/** A mutation may block its test. The end of the time counts as noticed. */
const longestRunMs = 180_000;

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

async function runTests(directory: string, test: string, options: readonly string[]): Promise<boolean> {
  if (/^test\/(cli|endToEnd)\/|\.(outage|browser)\.ts$/.test(test)) {
    // These start the compiled program. A mutation may break types.
    await run(directory, 'tsc', ['-p', 'tsconfig.build.json', '--noEmitOnError', 'false', '--noCheck']);
  }
  if (test.endsWith('.browser.ts')) {
    await run(directory, 'vite', ['build', '--logLevel', 'silent']);
  }
  return (await run(directory, 'mocha', ['--no-parallel', ...options, test])) === 0;
}

/** Returns the exit code, or 1 if the program was killed because it took too long. */
async function run(directory: string, program: string, words: readonly string[]): Promise<number> {
  const path = resolve('node_modules/.bin', program);
  const child = spawn(path, words, { cwd: directory, stdio: 'ignore', detached: true });
  const killGroup = () => {
    try {
      process.kill(-(child.pid ?? NaN), 'SIGKILL');
    } catch {
      // The group has ended.
    }
  };
  const timer = setTimeout(killGroup, longestRunMs);
  const [code] = (await once(child, 'exit')) as [number | null];
  clearTimeout(timer);
  // A failed test may leave processes running.
  killGroup();
  return code ?? 1;
}

interface Report {
  readonly passes: readonly { readonly fullTitle: string }[];
  readonly failures: readonly { readonly fullTitle: string }[];
}

/** The titles whose tests pass without a mutation. The failure of any other test would prove nothing. */
async function passingTitles(
  directory: string,
  test: string,
  titles: readonly string[],
): Promise<readonly string[]> {
  const output = join(directory, 'report.json');
  const grep = titles.map((title) => title.replaceAll(/[^\w\s]/gu, '\\$&')).join('|');
  await runTests(directory, test, [
    '--reporter',
    'json',
    '--reporter-option',
    `output=${output}`,
    '--grep',
    grep,
  ]);
  const { passes, failures } = JSON.parse(await readFile(output, 'utf8')) as Report;
  const isOf = (title: string) => (one: { readonly fullTitle: string }) => one.fullTitle.includes(title);
  return titles.filter((title) => passes.some(isOf(title)) && !failures.some(isOf(title)));
}

async function verdictOn(directory: string, mutation: Mutation): Promise<'noticed' | 'not noticed'> {
  const path = join(directory, mutation.file);
  const { text, mutated } = await mutate(mutation, directory);
  await writeFile(path, mutated);
  try {
    const options = ['--bail', '--reporter', 'dot', '--fgrep', mutation.title];
    return (await runTests(directory, mutation.test, options)) ? 'not noticed' : 'noticed';
  } finally {
    await writeFile(path, text);
  }
}

function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Runs the mutations whose file or test contains the text that was given; all without one. */
async function main(filter = ''): Promise<boolean> {
  const chosen = mutations.filter(({ file, test }) => file.includes(filter) || test.includes(filter));
  const directory = await mkdtemp(join(tmpdir(), 'postrider-mutations-'));
  const copy = await openCopy(directory);
  let noticed = 0;
  try {
    for (const test of new Set(chosen.map((mutation) => mutation.test))) {
      const ofTest = chosen.filter((mutation) => mutation.test === test);
      const passing = await passingTitles(
        directory,
        test,
        ofTest.map(({ title }) => title),
      );
      for (const mutation of ofTest) {
        const verdict = passing.includes(mutation.title)
          ? await verdictOn(directory, mutation)
          : 'fails or does not exist without the mutation';
        noticed += verdict === 'noticed' ? 1 : 0;
        tell(`${verdict}: ${mutation.file} ${mutation.function} (${test}: ${mutation.title})`);
      }
    }
  } finally {
    await copy.close();
    await rm(directory, { recursive: true, force: true });
  }
  tell(`${noticed} of ${chosen.length} mutations were noticed`);
  return noticed === chosen.length && noticed > 0;
}

process.exitCode = (await main(process.argv[2])) ? 0 : 1;
