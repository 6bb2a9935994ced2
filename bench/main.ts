import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import process from 'node:process';

import { CommanderError } from 'commander';

import { print, printStatus } from '../cli/terminal/output.js';
import { createLogger } from '../shared/core/logger.js';
import { messageOf } from '../shared/core/errors.js';
import { stopIdleTimers } from '../shared/log/kafkajs-internals/idleTimers.js';
import { createReleasers, type Releasers } from '../shared/runtime/lifecycle.js';
import { createWatchdog } from '../stack/processes/watchdog.js';
import { runAgainOn, runsOn } from './nodeProgram.js';
import { writePage } from './page/writePage.js';
import { buildEarlierVersion } from './pipelines/earlierVersion.js';
import type { Pipeline } from './pipelines/pipeline.js';
import { barePipeline, sameServiceWith } from './pipelines/pipelines.js';
import { createProgram, type Options } from './program.js';
import { readReports } from './results/readReports.js';
import { reportText } from './results/reportText.js';
import type { Report } from './results/result.js';
import { summarize } from './results/summary.js';
import { runBenchmark, type RunOptions } from './run.js';
import { isOrdinary, scenarios } from './scenarios/all.js';
import type { Scenario } from './scenarios/scenario.js';
import { throughput } from './scenarios/throughput.js';
import { outcomeText } from './selfTest/outcome.js';
import { runSelfTest, startBursts } from './selfTest/selfTest.js';

const quickBacklogEvents = 3000;
const quickTenants = 20;

const failed = 1;
const wrongUsage = 2;
/** 128 and the number of SIGINT, as shells have it. */
const interrupted = 130;

async function benchmark(options: Options): Promise<void> {
  const { pageFrom, node, selfTest } = options;
  // Newer versions of Node print a warning about the timers of kafkajs.
  stopIdleTimers();
  if (pageFrom !== undefined) {
    await showReport(await readReports(pageFrom), options);
  } else if (!runsOn(node)) {
    exitCode = await runAgainOn(node, process.env);
  } else if (selfTest !== undefined) {
    await proveBenchmark(selfTest, options);
  } else {
    const report = await withReleasers((releasers, signal) => runScenarios(options, releasers, signal));
    await showReport(report, options);
    if (report.failures.length > 0) {
      throw new Error(`Failed: ${report.failures.map(({ scenario }) => scenario).join(', ')}`);
    }
  }
}

async function showReport(report: Report, { output, page, json, only }: Options): Promise<void> {
  const shown = scenarios.filter(({ name }) => only?.includes(name) ?? true);
  await writeOutput(output, report);
  await (page === undefined ? null : writePage(page, report, shown));
  print(json === true ? withSummary(report) : reportText(report, shown));
}

function withSummary(report: Report) {
  return { ...report, summary: summarize(report.results) };
}

async function writeOutput(file: string | undefined, report: Report): Promise<void> {
  await (file === undefined ? null : writeFile(file, `${JSON.stringify(withSummary(report), null, 2)}\n`));
}

async function runScenarios(options: Options, releasers: Releasers, signal: AbortSignal): Promise<Report> {
  const { quick = false, only, against } = options;
  const earlier = against === undefined ? null : await buildEarlierVersion(against, releasers);
  return runBenchmark(
    {
      ...commonOptions(options, signal),
      scenarios: scenarios.filter(
        (scenario) => only?.includes(scenario.name) ?? isOrdinary(scenario, { quick }),
      ),
      against: against ?? null,
      referenceOf: (scenario) => earlier ?? (needsBare(scenario, options) ? barePipeline : null),
    },
    releasers,
  );
}

function commonOptions(
  options: Options,
  signal: AbortSignal,
): Omit<RunOptions, 'scenarios' | 'against' | 'referenceOf'> {
  const { quick = false, pairs, backlog, tenants, profile, output } = options;
  return {
    quick,
    pairs: pairs ?? null,
    sharesPipelines: quick,
    backlogEvents: quick ? quickBacklogEvents : backlog,
    tenants: quick ? quickTenants : tenants,
    profileDirectory: profile === undefined ? null : resolve(profile),
    onProgress: printStatus,
    onMeasured: (report) => writeOutput(output, report),
    signal,
  };
}

/** To keep a quick run quick, it measures the bare pipeline once. */
function needsBare(scenario: Scenario, { quick = false, only }: Options): boolean {
  const isSupported = scenario.pipelines?.includes('bare') ?? true;
  return isSupported && (!quick || only !== undefined || scenario === throughput);
}

/** @throws if a comparison has not passed */
async function proveBenchmark(times: number, options: Options): Promise<void> {
  const ofBursts = createSilentReleasers();
  const compareWith = (other: Pipeline) =>
    withReleasers((releasers, signal) =>
      runBenchmark(
        {
          ...commonOptions(options, signal),
          scenarios: [throughput],
          against: 'itself',
          referenceOf: () => other,
        },
        releasers,
      ),
    );
  try {
    const passed = await runSelfTest({
      times,
      compareWith,
      serviceWith: sameServiceWith,
      startBursts: () =>
        startBursts({ watchdog: createWatchdog(), releasers: ofBursts, logDirectory: tmpdir() }),
      onOutcome: (outcome) => {
        print(outcomeText(outcome));
      },
    });
    if (!passed) {
      throw new Error('The self-test has failed.');
    }
  } finally {
    await ofBursts.releaseAll();
  }
}

function createSilentReleasers(): Releasers {
  return createReleasers(createLogger({ role: 'bench', level: 'silent', isTerminal: false }));
}

/** Releases everything that the work has started, also after Ctrl-C. */
async function withReleasers<Value>(
  work: (releasers: Releasers, signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const releasers = createSilentReleasers();
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
