import { messageOf } from '../shared/errors.js';
import type { Releasers } from '../shared/lifecycle.js';
import { describeCommit, describeMachine } from './machine.js';
import { measure, type Measurement, type Sizes } from './measurement.js';
import { barePipeline } from './pipelines/bare.js';
import { servicePipeline } from './pipelines/service.js';
import type { Failure, Report, Result } from './report/result.js';
import type { Scenario } from './scenarios/scenario.js';
import { throughput } from './scenarios/throughput.js';
import { openWorkshop, type Workshop, type WorkshopOptions } from './workshop.js';

export interface RunOptions extends WorkshopOptions, Sizes {
  readonly scenarios: readonly Scenario[];
  /** How often each is run on each pipeline. */
  readonly runs: number;
  /** Whether the bare pipeline is measured too, where a scenario can be run on it. */
  readonly besideBare: (scenario: Scenario) => boolean;
  /** Gets the report as it is after each measurement: what was measured in an hour should outlast the next one. */
  readonly onMeasured: (report: Report) => Promise<void>;
  /** Nothing more is begun once it was aborted. */
  readonly signal: AbortSignal;
}

interface PlannedMeasurement extends Measurement {
  readonly run: number;
}

/**
 * Starts servers, and on them one pipeline after the other for each scenario and run. What fails is part of the report, and
 * the next one begins anew. What is started is given to the releasers.
 * @throws where the servers do not start
 */
export async function runBenchmark(options: RunOptions, releasers: Releasers): Promise<Report> {
  const startedAt = new Date().toISOString();
  const workshop = await openWorkshop(options, releasers);
  const machine = await describeMachine(workshop.servers);
  const commit = await describeCommit();
  if (!options.quick) {
    options.onProgress('Warming up the servers …');
    await attempt(workshop, { scenario: throughput, pipeline: barePipeline, sizes: options });
  }
  const results: Result[] = [];
  const failures: Failure[] = [];
  const report: Report = { startedAt, quick: options.quick, machine, results, failures };
  const measurements = measurementsOf(options);
  for (const [index, measurement] of measurements.entries()) {
    const { scenario, pipeline, run } = measurement;
    options.onProgress(
      `${index + 1} of ${measurements.length}: ${scenario.name} on ${pipeline.name}, run ${run} …`,
    );
    const measuredAt = new Date().toISOString();
    const origin = { scenario: scenario.name, pipeline: pipeline.name, run, measuredAt, commit };
    const outcome = await attempt(workshop, measurement);
    // What was interrupted has not failed.
    if (options.signal.aborted) {
      break;
    }
    if ('reason' in outcome) {
      options.onProgress(`${scenario.name} on ${pipeline.name} has failed: ${outcome.reason}`);
      failures.push({ ...origin, ...outcome });
    } else {
      results.push({ ...origin, ...outcome });
    }
    await options.onMeasured(report);
  }
  return report;
}

/** Measures; what fails takes nothing with it that the next one needs. */
async function attempt(workshop: Workshop, measurement: Measurement) {
  try {
    return await measure(workshop, measurement);
  } catch (error) {
    await workshop.dismissCrew();
    return { reason: messageOf(error) };
  }
}

/** Every other run begins with the other pipeline: the second may find a machine that is warmer, or more tired. */
function measurementsOf(options: RunOptions): readonly PlannedMeasurement[] {
  const { scenarios, runs, besideBare, quick, backlogEvents } = options;
  return scenarios.flatMap((scenario) => {
    const pipelines = [...(besideBare(scenario) ? [barePipeline] : []), servicePipeline].filter(
      ({ name }) => scenario.pipelines?.includes(name) ?? true,
    );
    return Array.from({ length: runs }, (_, index) => index + 1).flatMap((run) =>
      (run % 2 === 1 ? pipelines : pipelines.toReversed()).map((pipeline) => ({
        ...{ scenario, pipeline, run },
        sizes: { quick, backlogEvents },
      })),
    );
  });
}
