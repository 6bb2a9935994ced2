import type { Releasers } from '../shared/runtime/lifecycle.js';
import { collect, type PlannedMeasurement } from './collect.js';
import { describeCommit, describeMachine } from './machine.js';
import { measure, type Sizes } from './measurement.js';
import { barePipeline, servicePipeline } from './pipelines/pipelines.js';
import type { Report } from './results/result.js';
import type { Scenario } from './scenarios/scenario.js';
import { throughput } from './scenarios/throughput.js';
import { startTestbed, type Testbed, type TestbedOptions } from './testbed.js';

export interface RunOptions extends TestbedOptions, Sizes {
  readonly scenarios: readonly Scenario[];
  /** The number of runs of each scenario on each pipeline. */
  readonly runs: number;
  /** Whether the bare pipeline is measured too, if it supports the scenario. */
  readonly includesBare: (scenario: Scenario) => boolean;
  /** Gets the report after each measurement. */
  readonly onMeasured: (report: Report) => Promise<void>;
  /** After an abort no further measurement starts. */
  readonly signal: AbortSignal;
}

/**
 * Starts the servers, then measures each scenario and run on one pipeline after the other. The report contains failures.
 * @param releasers get all that is started
 * @throws if the servers do not start
 */
export async function runBenchmark(options: RunOptions, releasers: Releasers): Promise<Report> {
  const { quick, onProgress, onMeasured, signal } = options;
  const startedAt = new Date().toISOString();
  const testbed = await startTestbed(options, releasers);
  const machine = await describeMachine(testbed.servers);
  const header = { startedAt, quick, machine };
  if (!quick) {
    onProgress('Warming up the servers …');
    // If this fails, the first measurement fails too, and reports the reason.
    await measure(testbed, { scenario: throughput, pipeline: barePipeline, sizes: options }).catch(
      testbed.stopHarness,
    );
  }
  const collected = await collect(planMeasurements(testbed, options), {
    ...{ commit: await describeCommit(), onProgress, signal },
    onMeasured: (soFar) => onMeasured({ ...header, ...soFar }),
    // It may still be posting events.
    onFailure: testbed.stopHarness,
  });
  return { ...header, ...collected };
}

/** The order of the pipelines alternates: the first run may change the machine for the second one. */
function planMeasurements(testbed: Testbed, options: RunOptions): readonly PlannedMeasurement[] {
  const { scenarios, runs, includesBare, quick, backlogEvents } = options;
  const sizes = { quick, backlogEvents };
  return scenarios.flatMap((scenario) => {
    const pipelines = [...(includesBare(scenario) ? [barePipeline] : []), servicePipeline].filter(
      ({ name }) => scenario.pipelines?.includes(name) ?? true,
    );
    return Array.from({ length: runs }, (_, index) => index + 1).flatMap((run) =>
      (run % 2 === 1 ? pipelines : pipelines.toReversed()).map((pipeline) => ({
        ...{ scenario: scenario.name, pipeline: pipeline.name, run },
        measure: () => measure(testbed, { scenario, pipeline, sizes }),
      })),
    );
  });
}
