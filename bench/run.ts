import { messageOf } from '../shared/core/errors.js';
import type { Releasers } from '../shared/runtime/lifecycle.js';
import { describeCommit, describeMachine } from './machine.js';
import { measure } from './measurement.js';
import type { PairRange } from './pairs.js';
import type { Pipeline } from './pipelines/pipeline.js';
import { barePipeline, servicePipeline } from './pipelines/pipelines.js';
import type { Block, Failure, Report } from './results/report.js';
import type { Scenario } from './scenarios/scenario.js';
import { startTestbed } from './testbed.js';

export interface RunOptions {
  readonly scenarios: readonly Scenario[];
  readonly quick: boolean;
  /** The number of pairs of each scenario that has several; null for its own number. */
  readonly pairs: number | null;
  /** The name of the earlier version, and the pipeline that runs it; null for a comparison with the bare pipeline. */
  readonly earlier: { readonly name: string; readonly pipeline: Pipeline } | null;
  readonly onProgress: (line: string) => void;
  /** Gets the report after each measurement, so that a crash of a later one does not lose it. */
  readonly onMeasured: (report: Report) => Promise<void>;
  /** After an abort no further measurement starts. */
  readonly signal: AbortSignal;
}

/**
 * Starts the servers, then runs one measurement after the other. A failed one is reported with its reason, and the next one starts.
 * @param releasers get all that is started
 * @throws if the servers do not start
 */
export async function runBenchmark(options: RunOptions, releasers: Releasers): Promise<Report> {
  const { quick, earlier, onProgress, onMeasured, signal } = options;
  const startedAt = new Date().toISOString();
  const testbed = await startTestbed(releasers, onProgress);
  const machine = await describeMachine(testbed.serverPids);
  const commit = await describeCommit();
  const blocks: Block[] = [];
  const failures: Failure[] = [];
  const report = { startedAt, commit, quick, against: earlier?.name ?? null, machine, blocks, failures };
  for (const { scenario, start, ...planned } of plan(options)) {
    const { name } = scenario;
    onProgress(`${name}, start ${start} …`);
    const outcome = await measure(testbed, { scenario, quick, ...planned }).catch((error: unknown) => ({
      reason: messageOf(error),
    }));
    // An interrupted measurement is no failure.
    if (signal.aborted) {
      break;
    }
    if ('reason' in outcome) {
      onProgress(`${name} has failed: ${outcome.reason}`);
      failures.push({ scenario: name, start, ...outcome });
      // It may still be posting events.
      await testbed.stopHarness();
    } else {
      blocks.push(...outcome.map((block) => ({ scenario: name, start, ...block })));
    }
    await onMeasured(report);
  }
  return report;
}

interface PlannedMeasurement {
  readonly scenario: Scenario;
  readonly start: number;
  readonly pairs: PairRange;
  readonly pipelines: readonly Pipeline[];
}

/** The order in which the pipelines start alternates, too. */
function plan({ scenarios, quick, pairs, earlier }: RunOptions): readonly PlannedMeasurement[] {
  return scenarios.flatMap((scenario) => {
    const reference = earlier?.pipeline ?? (scenario.isForBare ? barePipeline : null);
    const pipelines = reference === null ? [servicePipeline] : [servicePipeline, reference];
    const all = quick || scenario.pairs === 1 ? 1 : (pairs ?? scenario.pairs);
    const starts = Math.min(all, scenario.starts ?? 1);
    const perStart = Math.ceil(all / starts);
    return Array.from({ length: starts }, (_, index) => ({
      scenario,
      start: index + 1,
      pairs: { first: index * perStart + 1, count: Math.min(perStart, all - index * perStart) },
      pipelines: index % 2 === 0 ? pipelines : pipelines.toReversed(),
    }));
  });
}
