import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import process from 'node:process';

import { Command, InvalidArgumentError } from 'commander';
import picocolors from 'picocolors';

import type { Mutation } from './mutation.js';
import { mutationLists } from './mutations.js';
import { readSummary, writeSummary, type ListRun } from './summary.js';
import { createUnbroken } from './unbroken.js';
import { openWorkshop, type Bench, type Workshop } from './workshop.js';

type Verdict = 'noticed' | 'not noticed' | 'does not apply' | 'fails unbroken';

interface Options {
  readonly only?: string;
  readonly list?: readonly string[];
  readonly jobs: number;
  readonly summary?: boolean;
}

type Lists = readonly (readonly [name: string, mutations: readonly Mutation[]])[];

const summaryFile = 'docs/proofs/mutations.md';

function chosenOf({ only, list }: Options): Lists {
  return Object.entries(mutationLists)
    .filter(([name]) => list === undefined || list.includes(name))
    .map(([name, mutations]) => [
      name,
      mutations.filter((mutation) => only === undefined || mutation.name.includes(only)),
    ]);
}

/**
 * Breaks copies of the project in each chosen way and runs the test that must go red. A mutation that no test notices
 * is a failure of the tests.
 */
async function run(options: Options): Promise<boolean> {
  const chosen = chosenOf(options);
  const count = chosen.reduce((sum, [, mutations]) => sum + mutations.length, 0);
  // The summary itself is a change.
  const commit = execFileSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8' }).trim();
  const workshop = await openWorkshop(options.jobs, tell);
  const unnoticed: string[] = [];
  const passesUnbroken = createUnbroken(chosen.flatMap(([, mutations]) => mutations));
  let done = 0;
  const judge = async (mutation: Mutation, bench: Bench) => {
    const verdict = await verdictOn(mutation, bench, passesUnbroken);
    done += 1;
    const mark = verdict === 'noticed' ? picocolors.green('✔') : picocolors.red('✖');
    const line = `${mutation.name}: ${verdict} (${mutation.test})`;
    tell(`${mark} ${String(done).padStart(3)}/${count} ${line}`);
    if (verdict !== 'noticed') {
      unnoticed.push(line);
    }
  };
  try {
    for (const list of chosen) {
      const listRun = await workOn(list, { workshop, judge, unnoticed });
      if (options.summary === true) {
        await addToSummary({ ...listRun, commit });
      }
    }
  } finally {
    await workshop.close();
  }
  tell(`${count - unnoticed.length} of ${count} mutations were noticed`);
  unnoticed.forEach((line) => {
    tell(picocolors.red(`✖ ${line}`));
  });
  return unnoticed.length === 0 && count > 0;
}

interface Work {
  readonly workshop: Workshop;
  readonly judge: (mutation: Mutation, bench: Bench) => Promise<void>;
  readonly unnoticed: readonly string[];
}

async function workOn(
  [list, mutations]: Lists[number],
  { workshop, judge, unnoticed }: Work,
): Promise<Omit<ListRun, 'commit'>> {
  const startedAt = performance.now();
  const before = unnoticed.length;
  await workshop.forEach(mutations, judge);
  return {
    ...{ list, entries: mutations.length, noticed: mutations.length - (unnoticed.length - before) },
    seconds: Math.round((performance.now() - startedAt) / 1000),
    date: `${new Date().toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length)}Z`,
  };
}

async function addToSummary(listRun: ListRun): Promise<void> {
  await mkdir(dirname(summaryFile), { recursive: true });
  const before = await readFile(summaryFile, 'utf8').catch(() => '');
  await writeFile(summaryFile, writeSummary([...readSummary(before), listRun]));
}

async function verdictOn(
  mutation: Mutation,
  bench: Bench,
  passesUnbroken: ReturnType<typeof createUnbroken>,
): Promise<Verdict> {
  if (!(await passesUnbroken(mutation, bench))) {
    return 'fails unbroken';
  }
  const mend = await bench.breakWith(mutation);
  if (mend === null) {
    return 'does not apply';
  }
  try {
    return (await bench.passes(mutation)) ? 'not noticed' : 'noticed';
  } finally {
    await mend();
  }
}

function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}

function readJobs(text: string): number {
  const jobs = Number(text);
  if (!Number.isInteger(jobs) || jobs < 1 || jobs > 16) {
    throw new InvalidArgumentError('It is a whole number from 1 to 16.');
  }
  return jobs;
}

const program = new Command('mutations')
  .description('Break the code on purpose, one way at a time, and require that a test notices.')
  .option('--only <text>', 'only those with this in their name')
  .option('--list <name...>', `only these lists: ${Object.keys(mutationLists).join(', ')}`)
  .option('--jobs <number>', 'how many to try at once', readJobs, 2)
  .option('--summary', `say in ${summaryFile} what came of each list; not with --only`)
  .parse();
const options = program.opts<Options>();
if (options.summary === true && options.only !== undefined) {
  program.error('error: --summary tells of whole lists: leave --only out');
}
process.exitCode = (await run(options)) ? 0 : 1;
