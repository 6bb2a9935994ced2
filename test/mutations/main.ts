import process from 'node:process';

import { Command, InvalidArgumentError } from 'commander';
import picocolors from 'picocolors';

import type { Mutation } from './mutation.js';
import { mutationLists } from './mutations.js';
import { openWorkshop, type Bench } from './workshop.js';

type Verdict = 'noticed' | 'not noticed' | 'does not apply' | 'fails unbroken';

interface Options {
  readonly only?: string;
  readonly list?: readonly string[];
  readonly jobs: number;
}

function chosenOf({ only, list }: Options): readonly Mutation[] {
  return Object.entries(mutationLists)
    .filter(([name]) => list === undefined || list.includes(name))
    .flatMap(([, mutations]) => mutations)
    .filter(({ name }) => only === undefined || name.includes(only));
}

/**
 * Breaks copies of the project in each chosen way and runs the test that must go red. A mutation that no test notices
 * is a failure of the tests.
 */
async function run(options: Options): Promise<boolean> {
  const chosen = chosenOf(options);
  const workshop = await openWorkshop(options.jobs, tell);
  const unnoticed: string[] = [];
  let done = 0;
  try {
    await workshop.forEach(chosen, async (mutation, bench) => {
      const verdict = await verdictOn(mutation, bench);
      done += 1;
      const mark = verdict === 'noticed' ? picocolors.green('✔') : picocolors.red('✖');
      const line = `${mutation.name}: ${verdict} (${mutation.test})`;
      tell(`${mark} ${String(done).padStart(3)}/${chosen.length} ${line}`);
      if (verdict !== 'noticed') {
        unnoticed.push(line);
      }
    });
  } finally {
    await workshop.close();
  }
  tell(`${chosen.length - unnoticed.length} of ${chosen.length} mutations were noticed`);
  unnoticed.forEach((line) => {
    tell(picocolors.red(`✖ ${line}`));
  });
  return unnoticed.length === 0 && chosen.length > 0;
}

async function verdictOn(mutation: Mutation, bench: Bench): Promise<Verdict> {
  // Green without the mutation: else red would mean nothing.
  if (!(await bench.passes(mutation))) {
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
  .parse();
process.exitCode = (await run(program.opts<Options>())) ? 0 : 1;
