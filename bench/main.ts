import { readFile } from 'node:fs/promises';
import process from 'node:process';

import { CommanderError } from 'commander';

import { print, printStatus } from '../cli/terminal/output.js';
import { messageOf } from '../shared/core/errors.js';
import { createLogger } from '../shared/core/logger.js';
import { stopIdleTimers } from '../shared/log/kafkajs-internals/idleTimers.js';
import { createReleasers, type Releasers } from '../shared/runtime/lifecycle.js';
import { referenceVersion, runAgainOn } from './nodeProgram.js';
import { buildEarlierVersion } from './pipelines/earlierVersion.js';
import { createProgram, type Options } from './program.js';
import type { Report } from './results/report.js';
import { formatTable, writeDocs, writeReport } from './results/writeDocs.js';
import { runBenchmark } from './run.js';
import { scenarios } from './scenarios/all.js';

const failed = 1;
const wrongUsage = 2;
/** 128 and the number of SIGINT, as shells have it. */
const interrupted = 130;

async function benchmark(options: Options): Promise<void> {
  // Newer versions of Node print a warning about the timers of kafkajs.
  stopIdleTimers();
  const version = await referenceVersion();
  if (options.from !== undefined) {
    await show(JSON.parse(await readFile(options.from, 'utf8')) as Report, options);
  } else if (process.versions.node !== version) {
    exitCode = await runAgainOn(version, process.env);
  } else {
    const report = await withReleasers((releasers, signal) => run(options, releasers, signal));
    await show(report, options);
    if (report.failures.length > 0) {
      throw new Error(`Failed: ${report.failures.map(({ scenario }) => scenario).join(', ')}`);
    }
  }
}

async function run(options: Options, releasers: Releasers, signal: AbortSignal): Promise<Report> {
  const { quick = false, pairs = null, against, output } = options;
  const earlier =
    against === undefined ? null : { name: against, pipeline: await buildEarlierVersion(against, releasers) };
  return runBenchmark(
    {
      scenarios: shownScenarios(options),
      quick,
      pairs,
      earlier,
      onProgress: printStatus,
      onMeasured: async (report) => {
        await (output === undefined ? null : writeReport(output, report));
      },
      signal,
    },
    releasers,
  );
}

async function show(report: Report, options: Options): Promise<void> {
  if (options.docs === true && (report.quick || report.against !== null)) {
    throw new Error('--docs needs the report of a whole run, without --quick and --against');
  }
  await (options.docs === true ? writeDocs(report, scenarios) : null);
  print(await formatTable(report, shownScenarios(options)));
}

function shownScenarios({ only }: Options) {
  return scenarios.filter(({ name }) => only?.includes(name) ?? true);
}

/** Releases everything that the work has started, also after Ctrl-C. */
async function withReleasers<Value>(
  work: (releasers: Releasers, signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const releasers = createReleasers(createLogger({ role: 'bench', level: 'silent', isTerminal: false }));
  const stopping = new AbortController();
  const signals = watchSignals(stopping);
  try {
    return await Promise.race([work(releasers, stopping.signal), signals.interrupted]);
  } finally {
    await releasers.releaseAll();
    signals.stop();
  }
}

/** Rejects on the first Ctrl-C or SIGTERM. The second one ends this process at once, and its watchdogs end the others. */
function watchSignals(stopping: AbortController) {
  let onSignal = () => undefined;
  const interruption = new Promise<never>((_, reject) => {
    onSignal = () => {
      if (stopping.signal.aborted) {
        process.exit(interrupted);
      }
      printStatus('Stopping …');
      stopping.abort();
      reject(new Interruption('interrupted'));
      return undefined;
    };
  });
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return {
    interrupted: interruption,
    stop: () => {
      process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
    },
  };
}

class Interruption extends Error {
  override readonly name = 'Interruption';
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) {
    return error.exitCode === 0 ? 0 : wrongUsage;
  }
  if (error instanceof Interruption) {
    return interrupted;
  }
  printStatus(`bench: ${messageOf(error)}`);
  return failed;
}

let exitCode = 0;
try {
  await createProgram(scenarios, benchmark).parseAsync();
} catch (error) {
  exitCode = exitCodeOf(error);
}
// After an interruption, pending work could keep the process alive.
process.exit(exitCode);
