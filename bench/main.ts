import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import process from 'node:process';

import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';

import { print, tell } from '../cli/output.js';
import { messageOf } from '../shared/errors.js';
import { createReleasers } from '../shared/lifecycle.js';
import { createLogger } from '../shared/logger.js';
import type { Result } from './report/result.js';
import { summarize } from './report/summary.js';
import { renderTables } from './report/tables.js';
import { runBenchmark } from './run.js';
import { scenarios } from './scenarios/all.js';

interface Options {
  readonly quick?: boolean;
  readonly only?: string;
  readonly runs: number;
  readonly json?: boolean;
  readonly output?: string;
  readonly profile?: string;
}

/** With more than this, from 0 to 1, the figures are the other programs' too. */
const toleratedOthersShare = 0.05;

const failed = 1;
const wrongUsage = 2;
/** 128 and the number of SIGINT, as shells have it. */
const interrupted = 130;

function createProgram(): Command {
  const descriptions = scenarios.map(({ name, description }) => `  ${name.padEnd(12)}${description}`);
  return new Command('npm run bench --')
    .description('Measures this service beside a bare pipeline of the same packages, on servers of its own.')
    .option('--quick', 'under a minute: shows that all works, its figures mean little')
    .addOption(new Option('--only <name>', 'one scenario').choices(scenarios.map(({ name }) => name)))
    .option('--runs <number>', 'how often each scenario is run; figures are medians', readRuns, 1)
    .option('--json', 'print JSON in place of tables')
    .option('--output <file>', 'write the JSON to a file too')
    .option('--profile <directory>', 'keep CPU profiles of the measured processes')
    .addHelpText('after', `\nScenarios, each with 0.5 KiB of data an event:\n${descriptions.join('\n')}`)
    .showHelpAfterError('Run it with --help to see what it takes.')
    .exitOverride()
    .action(benchmark);
}

async function benchmark({ quick = false, only, runs, json, output, profile }: Options): Promise<void> {
  const releasers = createReleasers(createLogger({ role: 'bench', level: 'silent', isTerminal: false }));
  try {
    const running = runBenchmark(
      {
        scenarios: scenarios.filter(({ name }) => only === undefined || only === name),
        runs,
        quick,
        profileDirectory: profile === undefined ? null : resolve(profile),
        onProgress: tell,
      },
      releasers,
    );
    const report = await Promise.race([running, interruption()]);
    const summary = summarize(report.results);
    const whole = { ...report, summary };
    await (output === undefined ? null : writeFile(output, `${JSON.stringify(whole, null, 2)}\n`));
    print(json === true ? whole : renderTables(summary));
    warnOfOthers(report.results);
  } finally {
    await releasers.releaseAll();
  }
}

function warnOfOthers(results: readonly Result[]): void {
  const share = Math.max(...results.map(({ othersShare }) => othersShare));
  if (share > toleratedOthersShare) {
    tell(
      `Other programs took up to ${Math.round(share * 100)} % of the processors meanwhile: measure on an idle machine.`,
    );
  }
}

/** Rejects on the first Ctrl-C or SIGTERM; the second ends this process at once, and watchdogs the others. */
function interruption(): Promise<never> {
  return new Promise((_, reject) => {
    const onSignal = () => {
      tell('Stopping …');
      reject(new Interruption('interrupted'));
      process.once('SIGINT', () => process.exit(interrupted));
      process.once('SIGTERM', () => process.exit(interrupted));
    };
    process.once('SIGINT', onSignal);
    process.once('SIGTERM', onSignal);
  });
}

class Interruption extends Error {
  override readonly name = 'Interruption';
}

function readRuns(text: string): number {
  const runs = Number(text);
  if (!Number.isInteger(runs) || runs < 1 || runs > 99) {
    throw new InvalidArgumentError('It is a whole number from 1 to 99.');
  }
  return runs;
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) {
    return error.exitCode === 0 ? 0 : wrongUsage;
  }
  if (error instanceof Interruption) {
    return interrupted;
  }
  tell(`bench: ${messageOf(error)}`);
  return failed;
}

let exitCode = 0;
try {
  await createProgram().parseAsync();
} catch (error) {
  exitCode = exitCodeOf(error);
}
// What was interrupted may still wait for something.
process.exit(exitCode);
