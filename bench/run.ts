import type { Releasers } from '../shared/runtime/lifecycle.js';
import { collect, type Planned } from './collect.js';
import { describeCommit, describeMachine } from './machine.js';
import { measure, type Sizes } from './measurement.js';
import { barePipeline } from './pipelines/bare.js';
import { servicePipeline } from './pipelines/service.js';
import type { Report } from './report/result.js';
import type { Scenario } from './scenarios/scenario.js';
import { throughput } from './scenarios/throughput.js';
import { openWorkshop, type Workshop, type WorkshopOptions } from './workshop.js';

export interface RunOptions extends WorkshopOptions, Sizes {
  readonly scenarios: readonly Scenario[];
  /** How often each is run on each pipeline. */
  readonly runs: number;
  /** Whether the bare pipeline is measured too, where a scenario can be run on it. */
  readonly besideBare: (scenario: Scenario) => boolean;
  /** Gets the report as it is after each measurement. */
  readonly onMeasured: (report: Report) => Promise<void>;
  /** Nothing more is begun once it was aborted. */
  readonly signal: AbortSignal;
}

/**
 * Starts servers, and on them one pipeline after the other for each scenario and run. What fails is part of the report, and
 * the next one begins anew. What is started is given to the releasers.
 * @throws where the servers do not start
 */
export async function runBenchmark(options: RunOptions, releasers: Releasers): Promise<Report> {
  const { quick, onProgress, onMeasured, signal } = options;
  const startedAt = new Date().toISOString();
  const workshop = await openWorkshop(options, releasers);
  const machine = await describeMachine(workshop.servers);
  const about = { startedAt, quick, machine };
  if (!quick) {
    onProgress('Warming up the servers …');
    // Where this fails, the first measurement does too, and says why.
    await measure(workshop, { scenario: throughput, pipeline: barePipeline, sizes: options }).catch(
      workshop.dismissCrew,
    );
  }
  const collected = await collect(plan(workshop, options), {
    ...{ commit: await describeCommit(), onProgress, signal },
    onMeasured: (soFar) => onMeasured({ ...about, ...soFar }),
    // It may still be at work.
    onFailure: workshop.dismissCrew,
  });
  return { ...about, ...collected };
}

/** Every other run begins with the other pipeline: the second may find a machine that is warmer, or more tired. */
function plan(workshop: Workshop, options: RunOptions): readonly Planned[] {
  const { scenarios, runs, besideBare, quick, backlogEvents } = options;
  const sizes = { quick, backlogEvents };
  return scenarios.flatMap((scenario) => {
    const pipelines = [...(besideBare(scenario) ? [barePipeline] : []), servicePipeline].filter(
      ({ name }) => scenario.pipelines?.includes(name) ?? true,
    );
    return Array.from({ length: runs }, (_, index) => index + 1).flatMap((run) =>
      (run % 2 === 1 ? pipelines : pipelines.toReversed()).map((pipeline) => ({
        ...{ scenario: scenario.name, pipeline: pipeline.name, run },
        measure: () => measure(workshop, { scenario, pipeline, sizes }),
      })),
    );
  });
}
