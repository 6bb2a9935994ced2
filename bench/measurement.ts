import process from 'node:process';

import type { Deployment } from './deployment.js';
import { measuredType, neighborType } from './load/eventBody.js';
import { measurePairs, type Block, type MeasuredBlock, type PairRange } from './pairs.js';
import type { Pipeline, PipelineWebhook } from './pipelines/pipeline.js';
import type { ChildProcess } from './processes/childProcess.js';
import { watchOthers, type OwnProcesses } from './processes/othersShare.js';
import { readUsage } from './processes/processUsage.js';
import type { Receiver } from './receiver/receiver.js';
import type { FlameFrame, Result, Series } from './results/result.js';
import { createScenarioContext } from './scenarioContext.js';
import { takeCores } from './selfTest/selfTest.js';
import type { ScenarioContext, Scenario, Variant } from './scenarios/scenario.js';
import type { Harness, Testbed } from './testbed.js';

export interface Measurement {
  readonly scenario: Scenario;
  /** They are measured in turn, next to each other on the same servers. */
  readonly pipelines: readonly Pipeline[];
  readonly pairs: PairRange;
  readonly sizes: Sizes;
}

export type Sizes = Pick<ScenarioContext, 'quick' | 'backlogEvents' | 'tenants'>;

/** The part of a result that the measurement yields. */
export type Measured = MeasuredBlock & Pick<Result, 'pipeline' | 'pair' | 'repeats'>;

const connections = 50;
const warmUpEvents = 5000;
const quickWarmUpEvents = 300;
/** A last resort: each wait has its own shorter timeout. */
const deadlineMs = 7_200_000;
const defaultVariant: Variant = { name: '' };

/**
 * Starts the pipelines once for each variant of a scenario, and measures pairs of blocks. A pipeline starts with empty topics and an
 * empty database, except in a quick run.
 * @throws the first error, after the pipelines were stopped
 */
export async function measure(testbed: Testbed, measurement: Measurement): Promise<readonly Measured[]> {
  const measured: Measured[] = [];
  for (const variant of variantsOf(measurement)) {
    const prefix = variant.name === '' ? '' : `${variant.name}, `;
    const prefixed = <Named extends { readonly name: string }>(items: readonly Named[]) =>
      items.map((item) => ({ ...item, name: `${prefix}${item.name}` }));
    for (const { member, figures, series, ...block } of await measureVariant(testbed, measurement, variant)) {
      measured.push({
        ...block,
        pipeline: member.pipeline.name,
        figures: prefixed(figures),
        series: prefixed(series),
      });
    }
  }
  return measured;
}

/** A quick run has the last two alone: they differ most from the default variant. */
function variantsOf({ scenario: { variants = [defaultVariant] }, sizes }: Measurement): readonly Variant[] {
  return sizes.quick ? variants.slice(-2) : variants;
}

/** A running pipeline that takes part in the pairs. */
interface Member {
  readonly pipeline: Pipeline;
  readonly deployment: Deployment;
}

async function measureVariant(
  testbed: Testbed,
  measurement: Measurement,
  variant: Variant,
): Promise<readonly Block<Member>[]> {
  const { scenario, pipelines } = measurement;
  const harness = await testbed.harness();
  const webhooks = webhooksOf(scenario, harness.receiver);
  const members: Member[] = [];
  const deadline = createDeadline();
  try {
    for (const pipeline of pipelines) {
      members.push({ pipeline, deployment: await testbed.deploy({ pipeline, variant, webhooks }) });
    }
    const blocks = await Promise.race([
      measureMembers({ testbed, harness, members, measurement }),
      ...members.map(({ deployment }) => deployment.running.crashed),
      harness.loadGenerator.process.crashed,
      harness.receiver.process.crashed,
      deadline.passed,
    ]);
    await inTurn(members, ({ deployment }) => deployment.release());
    return blocks;
  } catch (error) {
    await inTurn(members, ({ deployment }) => deployment.discard());
    throw error;
  } finally {
    deadline.cancel();
  }
}

interface RunningMeasurement {
  readonly testbed: Testbed;
  readonly harness: Harness;
  readonly members: readonly Member[];
  readonly measurement: Measurement;
}

async function measureMembers(running: RunningMeasurement): Promise<readonly Block<Member>[]> {
  const { members, measurement } = running;
  const { scenario, pairs } = measurement;
  await inTurn(members, async (member) => {
    await (member.deployment.isWarm ? null : warmUp(scenario, contextOf(running, member, emptyKept())));
  });
  const host = members[0]?.deployment.options.host;
  const burners = host === undefined ? [] : await takeCores(scenario.takenCores ?? 0, host);
  const own = () => ownProcesses(running, burners);
  return measurePairs(members, pairs, {
    leadIn: async (member) => {
      await (measurement.sizes.quick ? null : scenario.leadIn?.(contextOf(running, member, emptyKept())));
    },
    measureBlock: async (member, pair) => {
      const kept = emptyKept();
      const block = await measureBlock(scenario, contextOf(running, member, kept), own);
      // The page shows the series of one block. Those of all blocks would make the report large.
      return { ...block, ...(pair === 1 ? kept : emptyKept()) };
    },
  }).finally(() => Promise.all(burners.map((burner) => burner.stop())));
}

/** The parts of a result that a scenario adds in addition to its figures. */
interface Kept {
  readonly series: Series[];
  readonly flameGraph: FlameFrame[];
}

function emptyKept(): Kept {
  return { series: [], flameGraph: [] };
}

function contextOf(
  { testbed, harness, measurement }: RunningMeasurement,
  { deployment }: Member,
  { series, flameGraph }: Kept,
): ScenarioContext {
  const { servers, takeNumbers } = testbed;
  const { options: pipelineOptions, running: pipeline } = deployment;
  return createScenarioContext({
    ...measurement.sizes,
    ...harness,
    servers,
    pipeline,
    pipelineOptions,
    takeNumbers,
    webhooks: measurement.scenario.webhooks,
    keepSeries: (one) => void series.push(one),
    keepFlameGraph: (frames) => void flameGraph.push(...frames),
  });
}

async function warmUp(scenario: Scenario, context: ScenarioContext): Promise<void> {
  const count = context.quick ? quickWarmUpEvents : warmUpEvents;
  await context.deliver(count, { loop: 'closed', connections });
  await context.untilDrained();
  await (context.quick ? null : scenario.warmUp?.(context));
}

async function measureBlock(
  scenario: Scenario,
  context: ScenarioContext,
  own: () => Promise<OwnProcesses>,
): Promise<Omit<MeasuredBlock, keyof Kept>> {
  const othersShare = await watchOthers(own);
  const figures = await scenario.measure(context);
  const invalid = figures.filter(({ value }) => !Number.isFinite(value));
  if (invalid.length > 0) {
    throw new Error(`Not a number: ${invalid.map(({ name }) => name).join(', ')}`);
  }
  return { figures, othersShare: await othersShare() };
}

/** All processes of the benchmark, including this one. */
async function ownProcesses(
  { testbed, harness, members }: RunningMeasurement,
  burners: readonly ChildProcess[],
): Promise<OwnProcesses> {
  const { loadGenerator, receiver } = harness;
  const pipelines = members.map(({ deployment }) => deployment.running);
  const shared = [...testbed.servers.pids.values(), process.pid];
  const children = [loadGenerator.process, receiver.process, ...burners];
  const usages = await Promise.all(shared.map(readUsage));
  const used = await Promise.all([...pipelines, ...children].map((one) => one.cpuMs()));
  const roles = pipelines.flatMap((pipeline) => [...pipeline.processes.values()]);
  return {
    pids: new Set([...shared, ...[...children, ...roles].map(({ pid }) => pid)]),
    cpuMs: [...usages.map(({ cpuMs }) => cpuMs), ...used].reduce((sum, ms) => sum + ms, 0),
  };
}

async function inTurn<Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<void> {
  for (const item of items) {
    await work(item);
  }
}

function webhooksOf(scenario: Scenario, receiver: Receiver): PipelineWebhook[] {
  const { webhooks, answersAfterMs, neighborAnswersAfterMs } = scenario;
  const measured = Array.from({ length: webhooks }, (_, webhook) => ({
    url: receiver.webhookUrl(webhook, answersAfterMs),
    eventType: measuredType,
  }));
  return neighborAnswersAfterMs === undefined
    ? measured
    : [...measured, { url: receiver.webhookUrl(webhooks, neighborAnswersAfterMs), eventType: neighborType }];
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
