import process from 'node:process';

import { createBench } from './bench.js';
import { measuredType, neighbourType } from './load/eventBody.js';
import { watchOthers } from './measure/othersShare.js';
import { readUsage } from './measure/processUsage.js';
import type { Pipeline, PipelineWebhook, RunningPipeline } from './pipelines/pipeline.js';
import type { ChildProcess } from './processes/childProcess.js';
import type { Receiver } from './receiver/receiver.js';
import type { Figure, Series } from './report/result.js';
import type { Bench, Scenario, Variant } from './scenarios/scenario.js';
import type { Servers } from './servers.js';
import type { Workshop } from './workshop.js';

/** What is measured next. */
export interface Measurement {
  readonly scenario: Scenario;
  readonly pipeline: Pipeline;
  readonly sizes: Sizes;
}

export type Sizes = Pick<Bench, 'quick' | 'backlogEvents'>;

export interface Measured {
  readonly figures: readonly Figure[];
  readonly series: readonly Series[];
  /** From 0 to 1: see Result. */
  readonly othersShare: number;
}

const connections = 50;
const warmUpEvents = 5000;
const quickWarmUpEvents = 300;
/** Of what may hang, nothing waits without a limit of its own; this is for what nobody has thought of. */
const deadlineMs = 3_600_000;
const usual: Variant = { name: '' };

/**
 * One scenario on one pipeline, which begins with nothing in its topics and its database, unless the run is a quick one: once for each variant.
 * @throws what went wrong; of the pipeline nothing is left running then
 */
export async function measure(workshop: Workshop, measurement: Measurement): Promise<Measured> {
  const parts: Measured[] = [];
  for (const variant of variantsOf(measurement)) {
    const { figures, series, othersShare } = await measureVariant(workshop, measurement, variant);
    const prefix = variant.name === '' ? '' : `${variant.name}: `;
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

/** In a quick run the last two: they differ most from the usual one. */
function variantsOf({ scenario: { variants = [usual] }, sizes }: Measurement): readonly Variant[] {
  return sizes.quick ? variants.slice(-2) : variants;
}

async function measureVariant(
  workshop: Workshop,
  { scenario, pipeline, sizes }: Measurement,
  variant: Variant,
): Promise<Measured> {
  const { load, receiver } = await workshop.crew();
  const { servers, takeNumbers } = workshop;
  const stage = await workshop.openStage({ pipeline, variant, webhooks: webhooksOf(scenario, receiver) });
  const { site, running, isWarm } = stage;
  const deadline = createDeadline();
  try {
    const series: Series[] = [];
    const keepSeries = (one: Series) => void series.push(one);
    const parts = { servers, load, receiver, pipeline: running, site, takeNumbers, keepSeries };
    const bench = createBench({ ...sizes, ...parts, webhooks: scenario.webhooks });
    const own = () => cpuMsOf({ servers, running, others: [load.process, receiver.process] });
    const measuring = (isWarm ? Promise.resolve() : warmUp(bench)).then(() =>
      measureWarm(scenario, bench, own),
    );
    const measured = await Promise.race([
      measuring,
      running.lost,
      load.process.lost,
      receiver.process.lost,
      deadline.passed,
    ]);
    await stage.leave();
    return { ...measured, series };
  } catch (error) {
    await stage.strike();
    throw error;
  } finally {
    deadline.cancel();
  }
}

async function warmUp(bench: Bench): Promise<void> {
  await bench.deliver(bench.quick ? quickWarmUpEvents : warmUpEvents, { loop: 'closed', connections });
  await bench.untilDrained();
}

async function measureWarm(
  scenario: Scenario,
  bench: Bench,
  own: () => Promise<number>,
): Promise<Omit<Measured, 'series'>> {
  const othersShare = await watchOthers(own);
  const figures = await scenario.measure(bench);
  const without = figures.filter(({ value }) => !Number.isFinite(value));
  if (without.length > 0) {
    throw new Error(`No number came of: ${without.map(({ name }) => name).join(', ')}`);
  }
  return { figures, othersShare: await othersShare() };
}

interface MeasuredProcesses {
  readonly servers: Servers;
  readonly running: RunningPipeline;
  readonly others: readonly ChildProcess[];
}

/** Of all processes that belong to the measurement, in milliseconds of processor time; this one too. */
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
      reject(new Error(`It has not ended within ${deadlineMs / 60_000} minutes`));
    }, deadlineMs);
  });
  return {
    passed,
    cancel: () => {
      clearTimeout(timer);
    },
  };
}
