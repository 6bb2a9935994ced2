import process from 'node:process';

import { createScenarioContext } from './scenarioContext.js';
import { measuredType, neighbourType } from './load/eventBody.js';
import { watchOthers } from './processes/othersShare.js';
import { readUsage } from './processes/processUsage.js';
import type { Pipeline, PipelineWebhook, RunningPipeline } from './pipelines/pipeline.js';
import type { ChildProcess } from './processes/childProcess.js';
import type { Receiver } from './receiver/receiver.js';
import type { Figure, Series } from './results/result.js';
import type { ScenarioContext, Scenario, Variant } from './scenarios/scenario.js';
import type { Servers } from './servers.js';
import type { Testbed } from './testbed.js';

export interface Measurement {
  readonly scenario: Scenario;
  readonly pipeline: Pipeline;
  readonly sizes: Sizes;
}

export type Sizes = Pick<ScenarioContext, 'quick' | 'backlogEvents'>;

export interface Measured {
  readonly figures: readonly Figure[];
  readonly series: readonly Series[];
  readonly othersShare: number;
}

const connections = 50;
const warmUpEvents = 5000;
const quickWarmUpEvents = 300;
/** A last resort: each wait has its own shorter timeout. */
const deadlineMs = 3_600_000;
const defaultVariant: Variant = { name: '' };

/**
 * Measures each variant of a scenario on a pipeline. The pipeline starts with empty topics and an empty database, except in a quick run.
 * @throws the first error, after the pipeline was stopped
 */
export async function measure(testbed: Testbed, measurement: Measurement): Promise<Measured> {
  const parts: Measured[] = [];
  for (const variant of variantsOf(measurement)) {
    const { figures, series, othersShare } = await measureVariant(testbed, measurement, variant);
    const prefix = variant.name === '' ? '' : `${variant.name}, `;
    parts.push({
      figures: figures.map((figure) => ({ ...figure, name: `${prefix}${figure.name}` })),
      series: series.map((one) => ({ ...one, name: `${prefix}${one.name}` })),
      othersShare,
    });
  }
  return {
    figures: parts.flatMap(({ figures }) => figures),
    series: parts.flatMap(({ series }) => series),
    othersShare: Math.max(...parts.map(({ othersShare }) => othersShare)),
  };
}

/** A quick run has the last two alone: they differ most from the default variant. */
function variantsOf({ scenario: { variants = [defaultVariant] }, sizes }: Measurement): readonly Variant[] {
  return sizes.quick ? variants.slice(-2) : variants;
}

async function measureVariant(
  testbed: Testbed,
  { scenario, pipeline, sizes }: Measurement,
  variant: Variant,
): Promise<Measured> {
  const { loadGenerator, receiver } = await testbed.harness();
  const { servers, takeNumbers } = testbed;
  const deployment = await testbed.deploy({ pipeline, variant, webhooks: webhooksOf(scenario, receiver) });
  const { options: pipelineOptions, running, isWarm } = deployment;
  const deadline = createDeadline();
  try {
    const series: Series[] = [];
    const keepSeries = (one: Series) => void series.push(one);
    const context = createScenarioContext({
      ...{ ...sizes, servers, loadGenerator, receiver, pipeline: running, pipelineOptions },
      ...{ takeNumbers, keepSeries, webhooks: scenario.webhooks },
    });
    const own = () => cpuMsOf({ servers, running, others: [loadGenerator.process, receiver.process] });
    const measuring = (isWarm ? Promise.resolve() : warmUp(context)).then(() =>
      measureWarm(scenario, context, own),
    );
    const measured = await Promise.race([
      measuring,
      running.crashed,
      loadGenerator.process.crashed,
      receiver.process.crashed,
      deadline.passed,
    ]);
    await deployment.release();
    return { ...measured, series };
  } catch (error) {
    await deployment.discard();
    throw error;
  } finally {
    deadline.cancel();
  }
}

async function warmUp(context: ScenarioContext): Promise<void> {
  await context.deliver(context.quick ? quickWarmUpEvents : warmUpEvents, { loop: 'closed', connections });
  await context.untilDrained();
}

async function measureWarm(
  scenario: Scenario,
  context: ScenarioContext,
  own: () => Promise<number>,
): Promise<Omit<Measured, 'series'>> {
  const othersShare = await watchOthers(own);
  const figures = await scenario.measure(context);
  const invalid = figures.filter(({ value }) => !Number.isFinite(value));
  if (invalid.length > 0) {
    throw new Error(`Not a number: ${invalid.map(({ name }) => name).join(', ')}`);
  }
  return { figures, othersShare: await othersShare() };
}

interface MeasuredProcesses {
  readonly servers: Servers;
  readonly running: RunningPipeline;
  readonly others: readonly ChildProcess[];
}

/** The CPU time of all processes of the benchmark, including this one, in milliseconds. */
async function cpuMsOf({ servers, running, others }: MeasuredProcesses): Promise<number> {
  const usages = await Promise.all([...servers.pids.values(), process.pid].map(readUsage));
  const used = await Promise.all([running.cpuMs(), ...others.map((other) => other.cpuMs())]);
  return [...usages.map(({ cpuMs }) => cpuMs), ...used].reduce((sum, ms) => sum + ms, 0);
}

function webhooksOf(scenario: Scenario, receiver: Receiver): PipelineWebhook[] {
  const { webhooks, answersAfterMs, neighbourAnswersAfterMs } = scenario;
  const measured = Array.from({ length: webhooks }, (_, webhook) => ({
    url: receiver.webhookUrl(webhook, answersAfterMs),
    eventType: measuredType,
  }));
  return neighbourAnswersAfterMs === undefined
    ? measured
    : [
        ...measured,
        { url: receiver.webhookUrl(webhooks, neighbourAnswersAfterMs), eventType: neighbourType },
      ];
}

function createDeadline() {
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`The measurement has not ended within ${deadlineMs / 60_000} minutes`));
    }, deadlineMs);
  });
  return {
    passed,
    cancel: () => {
      clearTimeout(timer);
    },
  };
}
