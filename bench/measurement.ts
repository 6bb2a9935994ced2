import process from 'node:process';

import { deploy, type Deployment } from './deployment.js';
import { measurePairs, type MeasuredBlock, type PairRange } from './pairs.js';
import type { Pipeline } from './pipelines/pipeline.js';
import type { ChildProcess } from './processes/childProcess.js';
import { watchOthers, type OwnProcesses } from './processes/othersShare.js';
import { readUsage } from './processes/processUsage.js';
import type { Block } from './results/report.js';
import { createScenarioContext } from './scenarioContext.js';
import type { Scenario, ScenarioContext } from './scenarios/scenario.js';
import type { Harness, Testbed } from './testbed.js';

/** The measurement of a scenario, from one start of the pipelines to their end. */
export interface Measurement {
  readonly scenario: Scenario;
  /** They are measured in turn, next to each other on the same servers. */
  readonly pipelines: readonly Pipeline[];
  readonly pairs: PairRange;
  readonly quick: boolean;
}

const warmUpDeliveries = 5000;
const quickWarmUpDeliveries = 600;
const significantDigits = 6;

/**
 * Starts the pipelines with empty topics and an empty database, and measures pairs of blocks.
 * @throws the first error, after the pipelines were stopped
 */
export async function measure(
  testbed: Testbed,
  measurement: Measurement,
): Promise<readonly Omit<Block, 'scenario' | 'start'>[]> {
  const harness = await testbed.harness();
  const { webhookUrl } = harness.receiver;
  const webhookUrls = Array.from({ length: measurement.scenario.webhooks }, (_, webhook) =>
    webhookUrl(webhook),
  );
  const deployments: Deployment[] = [];
  const busyCores: ChildProcess[] = [];
  try {
    for (const pipeline of measurement.pipelines) {
      deployments.push(await deploy(pipeline, testbed.optionsOf(pipeline), webhookUrls));
    }
    const blocks = await Promise.race([
      measureBlocks({ testbed, harness, deployments, busyCores, measurement }),
      ...deployments.map(({ running }) => running.crashed),
      harness.loadGenerator.process.crashed,
      harness.receiver.process.crashed,
    ]);
    return blocks.map(({ member, ...block }) => ({ ...block, pipeline: member.pipeline.name }));
  } finally {
    await inTurn(busyCores, (program) => program.stop());
    await inTurn(deployments, (deployment) => deployment.remove());
  }
}

interface RunningMeasurement {
  readonly testbed: Testbed;
  readonly harness: Harness;
  readonly deployments: readonly Deployment[];
  readonly busyCores: ChildProcess[];
  readonly measurement: Measurement;
}

async function measureBlocks(running: RunningMeasurement) {
  const { testbed, harness, deployments, busyCores, measurement } = running;
  const { scenario, pairs, quick } = measurement;
  const { webhooks } = scenario;
  const contextOf = (deployment: Deployment) =>
    createScenarioContext({ ...harness, quick, testbed, deployment, webhooks, busyCores });
  await inTurn(deployments, (deployment) => warmUp(scenario, contextOf(deployment)));
  return measurePairs(deployments, pairs, {
    leadIn: async (deployment) => {
      await (quick ? null : scenario.leadIn?.(contextOf(deployment)));
    },
    measureBlock: (deployment) => measureBlock(scenario, contextOf(deployment), () => ownProcesses(running)),
  });
}

async function warmUp(scenario: Scenario, context: ScenarioContext): Promise<void> {
  const deliveries = context.quick ? quickWarmUpDeliveries : warmUpDeliveries;
  await context.deliver(deliveries / scenario.webhooks, { loop: 'closed', connections: 50 });
  await context.untilDrained();
  await scenario.prepare?.(context);
}

async function measureBlock(
  scenario: Scenario,
  context: ScenarioContext,
  own: () => Promise<OwnProcesses>,
): Promise<MeasuredBlock> {
  const othersShare = await watchOthers(own);
  const samples = await scenario.measure(context);
  const invalid = scenario.rows.filter(({ figure }) =>
    samples.some((sample) => !Number.isFinite(sample[figure])),
  );
  if (invalid.length > 0) {
    throw new Error(`Not a number: ${invalid.map(({ figure }) => figure).join(', ')}`);
  }
  return {
    othersShare: rounded(await othersShare()),
    samples: samples.map((sample) =>
      Object.fromEntries(Object.entries(sample).map(([figure, value]) => [figure, rounded(value)])),
    ),
  };
}

function rounded(value: number): number {
  return Number(value.toPrecision(significantDigits));
}

/** All processes of the benchmark, including this one. */
async function ownProcesses({
  testbed,
  harness,
  deployments,
  busyCores,
}: RunningMeasurement): Promise<OwnProcesses> {
  const { loadGenerator, receiver } = harness;
  const pipelines = deployments.map(({ running }) => running);
  const children = [loadGenerator.process, receiver.process, ...busyCores];
  const others = [...testbed.serverPids.values(), process.pid];
  const usages = await Promise.all(others.map(readUsage));
  const used = await Promise.all([...pipelines, ...children].map((one) => one.cpuMs()));
  const roles = pipelines.flatMap((pipeline) => [...pipeline.processes.values()]);
  return {
    pids: new Set([...others, ...[...children, ...roles].map(({ pid }) => pid)]),
    cpuMs: [...usages.map(({ cpuMs }) => cpuMs), ...used].reduce((sum, ms) => sum + ms, 0),
  };
}

async function inTurn<Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<void> {
  for (const item of items) {
    await work(item);
  }
}
