import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';

import { Command } from 'commander';
import picocolors from 'picocolors';

import { startStack } from '../../stack/stack.js';
import type { Mutation } from './mutation.js';
import { mutations } from './mutations.js';

/** What the copy of the project needs to run its tests. */
const folders = ['api', 'cli', 'consumers', 'projections', 'shared', 'stack', 'test'];
const files = ['package.json', 'tsconfig.json', 'tsconfig.build.json', '.mocharc.json'];

type Verdict = 'noticed' | 'not noticed' | 'does not apply' | 'fails unbroken';

/**
 * Breaks a copy of the project in each listed way and runs the test that must go red. A mutation that no test notices
 * is a failure of the tests.
 */
async function run(only: string | undefined): Promise<boolean> {
  const chosen = mutations.filter(({ name }) => only === undefined || name.includes(only));
  const copy = await copyProject();
  const stack = await startStack({ directory: join(copy, '.postrider'), ephemeral: true, onProgress: tell });
  try {
    const verdicts: Verdict[] = [];
    for (const mutation of chosen) {
      const verdict = await verdictOn(mutation, copy);
      verdicts.push(verdict);
      const mark = verdict === 'noticed' ? picocolors.green('✔') : picocolors.red('✖');
      tell(`${mark} ${mutation.name}: ${verdict} (${mutation.test})`);
    }
    const noticed = verdicts.filter((verdict) => verdict === 'noticed').length;
    tell(`${noticed} of ${chosen.length} mutations were noticed`);
    return noticed === chosen.length && noticed > 0;
  } finally {
    await stack.stop();
    await rm(copy, { recursive: true, force: true });
  }
}

async function copyProject(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'postrider-mutations-'));
  for (const entry of [...folders, ...files]) {
    await cp(entry, join(copy, entry), { recursive: true });
  }
  await symlink(resolve('node_modules'), join(copy, 'node_modules'));
  return copy;
}

async function verdictOn(mutation: Mutation, copy: string): Promise<Verdict> {
  const file = join(copy, mutation.file);
  const text = await readFile(file, 'utf8');
  if (text.split(mutation.find).length !== 2) {
    return 'does not apply';
  }
  // Green without the mutation: else red would mean nothing.
  if (!(await passes(mutation, copy))) {
    return 'fails unbroken';
  }
  await writeFile(
    file,
    text.replace(mutation.find, () => mutation.replace),
  );
  try {
    return (await passes(mutation, copy)) ? 'not noticed' : 'noticed';
  } finally {
    await writeFile(file, text);
  }
}

/** Whether the named test passes in the copy. The tests find the servers that run there. */
async function passes({ test, grep }: Mutation, copy: string): Promise<boolean> {
  if (test.startsWith('test/endToEnd/')) {
    // Only these start compiled roles. Types may well be broken: it is compiled all the same.
    await command(copy, 'npx', ['tsc', '-p', 'tsconfig.build.json', '--noEmitOnError', 'false']);
  }
  const code = await command(copy, 'npx', ['mocha', '--reporter', 'dot', '--fgrep', grep, test]);
  return code === 0;
}

async function command(
  directory: string,
  name: string,
  commandArguments: readonly string[],
): Promise<number> {
  const child = spawn(name, commandArguments, { cwd: directory, stdio: 'ignore' });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}

const program = new Command('mutations')
  .description('Break the code on purpose, one way at a time, and require that a test notices.')
  .option('--only <text>', 'only those with this in their name')
  .parse();
process.exitCode = (await run(program.opts<{ only?: string }>().only)) ? 0 : 1;
