import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import process from 'node:process';

import { CommanderError } from 'commander';

import { print, printStatus } from '../cli/terminal/output.js';
import { messageOf } from '../shared/core/errors.js';
import { createReleasers } from '../shared/runtime/lifecycle.js';
import { createLogger } from '../shared/core/logger.js';
import { writePage } from './page/writePage.js';
import { createProgram, type Options } from './program.js';
import { readReports } from './results/readReports.js';
import type { Report, Result } from './results/result.js';
import { summarize } from './results/summary.js';
import { renderTables, renderTargets } from './results/tables.js';
import { judge } from './results/targets.js';
import { runBenchmark } from './run.js';
import { isQuick, scenarios } from './scenarios/all.js';
import { throughput } from './scenarios/throughput.js';

/** With a larger share, from 0 to 1, other programs have influenced the figures. */
const toleratedOthersShare = 0.05;
const quickBacklogEvents = 3000;

const failed = 1;
const wrongUsage = 2;
/** 128 and the number of SIGINT, as shells have it. */
const interrupted = 130;

async function benchmark(options: Options): Promise<void> {
  const { pageFrom, page, output } = options;
  const report = pageFrom === undefined ? await runOnServers(options) : await readReports(pageFrom);
  await writeOutput(output, report);
  await (page === undefined ? null : writePage(page, report, scenarios));
  print(options.json === true ? withSummary(report) : textOf(report));
  warnOfOthers(report.results);
  if (pageFrom === undefined && report.failures.length > 0) {
    const failures = report.failures.map(({ scenario, pipeline }) => `${scenario} on ${pipeline}`);
    throw new Error(`Failed: ${failures.join(', ')}`);
  }
}

function withSummary(report: Report) {
  return { ...report, summary: summarize(report.results) };
}

async function writeOutput(file: string | undefined, report: Report): Promise<void> {
  await (file === undefined ? null : writeFile(file, `${JSON.stringify(withSummary(report), null, 2)}\n`));
}

async function runOnServers(options: Options): Promise<Report> {
  const { quick = false, only, runs, backlog, profile, output } = options;
  const releasers = createReleasers(createLogger({ role: 'bench', level: 'silent', isTerminal: false }));
  const stopping = new AbortController();
  try {
    const running = runBenchmark(
      {
        scenarios: scenarios.filter(
          (scenario) => only?.includes(scenario.name) ?? (!quick || isQuick(scenario)),
        ),
        runs,
        quick,
        // To keep a quick run quick, it measures the bare pipeline once.
        includesBare: (scenario) => !quick || only !== undefined || scenario === throughput,
        sharesPipelines: quick,
        backlogEvents: quick ? quickBacklogEvents : backlog,
        profileDirectory: profile === undefined ? null : resolve(profile),
        onProgress: printStatus,
        onMeasured: (report) => writeOutput(output, report),
        signal: stopping.signal,
      },
      releasers,
    );
    return await Promise.race([running, interruption(stopping)]);
  } finally {
    await releasers.releaseAll();
  }
}

/** Tables of all figures, failures, and the targets, which mean nothing for a quick run. */
function textOf({ quick, results, failures }: Report): string {
  const summaries = summarize(results);
  const judged = summaries.map(({ scenario, rows }) => ({
    scenario,
    targets: judge(scenarios.find(({ name }) => name === scenario)?.targets ?? [], rows),
  }));
  return [
    renderTables(summaries),
    ...(quick ? [] : [renderTargets(judged)]),
    ...failures.map(
      ({ scenario, pipeline, run, reason }) => `FAILED: ${scenario} on ${pipeline}, run ${run}: ${reason}`,
    ),
  ].join('\n\n');
}

function warnOfOthers(results: readonly Result[]): void {
  const share = Math.max(0, ...results.map(({ othersShare }) => othersShare));
  if (share > toleratedOthersShare) {
    printStatus(
      `Other programs took up to ${Math.round(share * 100)} % of the CPU time. Measure on an idle machine.`,
    );
  }
}

/** Rejects on the first Ctrl-C or SIGTERM. The second one ends this process at once, and its watchdogs end the others. */
function interruption(stopping: AbortController): Promise<never> {
  return new Promise((_, reject) => {
    const onSignal = () => {
      printStatus('Stopping …');
      stopping.abort();
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
