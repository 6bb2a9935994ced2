import type { Releasers } from '../shared/runtime/lifecycle.js';
import { collect, type PlannedMeasurement } from './collect.js';
import { describeCommit, describeMachine } from './machine.js';
import { measure, type Sizes } from './measurement.js';
import type { Pipeline } from './pipelines/pipeline.js';
import { servicePipeline } from './pipelines/pipelines.js';
import type { Report } from './results/result.js';
import type { Scenario } from './scenarios/scenario.js';
import { throughput } from './scenarios/throughput.js';
import { startTestbed, type Testbed, type TestbedOptions } from './testbed.js';

export interface RunOptions extends TestbedOptions, Sizes {
  readonly scenarios: readonly Scenario[];
  /** The number of pairs of each scenario; null for its own number. */
  readonly pairs: number | null;
  /** The pipeline that the service is compared with, by scenario; null for none. */
  readonly referenceOf: (scenario: Scenario) => Pipeline | null;
  /** The name of the compared version, for the report. */
  readonly against: string | null;
  /** Gets the report after each measurement. */
  readonly onMeasured: (report: Report) => Promise<void>;
  /** After an abort no further measurement starts. */
  readonly signal: AbortSignal;
}

const defaultPairs = 10;
/** Next to another version of the service, smaller differences matter. */
const defaultPairsOfVersions = 20;
const defaultPairsPerStart = 5;

/**
 * Starts the servers, then runs one measurement after the other. The report contains failures.
 * @param releasers get all that is started
 * @throws if the servers do not start
 */
export async function runBenchmark(options: RunOptions, releasers: Releasers): Promise<Report> {
  const { quick, against, onProgress, onMeasured, signal } = options;
  const startedAt = new Date().toISOString();
  const testbed = await startTestbed(options, releasers);
  const machine = await describeMachine(testbed.servers);
  const header = { startedAt, quick, machine, against };
  if (!quick) {
    onProgress('Warming up the servers …');
    await warmUpServers(testbed, options);
  }
  const collected = await collect(planMeasurements(testbed, options), {
    commit: await describeCommit(),
    onProgress,
    signal,
    onMeasured: (soFar) => onMeasured({ ...header, ...soFar }),
    // It may still be posting events.
    onFailure: testbed.stopHarness,
  });
  return { ...header, ...collected };
}

/** If this fails, the first measurement fails too, and reports the reason. */
async function warmUpServers(testbed: Testbed, sizes: Sizes): Promise<void> {
  const measurement = { scenario: throughput, pipelines: [servicePipeline], sizes };
  await measure(testbed, { ...measurement, pairs: { first: 1, count: 1 } }).catch(testbed.stopHarness);
}

/** The order in which the pipelines start alternates, too. */
function planMeasurements(testbed: Testbed, options: RunOptions): readonly PlannedMeasurement[] {
  const { quick, backlogEvents, tenants } = options;
  return options.scenarios.flatMap((scenario) => {
    const pipelines = [servicePipeline, options.referenceOf(scenario)].filter((one) => one !== null);
    return startsOf(scenario, options).map((pairs, index) => ({
      scenario: scenario.name,
      start: index + 1,
      measure: () =>
        measure(testbed, {
          scenario,
          pairs,
          sizes: { quick, backlogEvents, tenants },
          pipelines: index % 2 === 0 ? pipelines : pipelines.toReversed(),
        }),
    }));
  });
}

/** The pairs of each start. */
function startsOf({ pairs, pairsPerStart = defaultPairsPerStart }: Scenario, options: RunOptions) {
  const usual = options.against === null ? defaultPairs : defaultPairsOfVersions;
  const all = options.pairs ?? (options.quick ? 1 : (pairs ?? usual));
  return Array.from({ length: Math.ceil(all / pairsPerStart) }, (_, index) => ({
    first: index * pairsPerStart + 1,
    count: Math.min(pairsPerStart, all - index * pairsPerStart),
  }));
}
