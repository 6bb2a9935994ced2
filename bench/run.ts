import { randomBytes } from 'node:crypto';
import { cpus, totalmem } from 'node:os';
import process from 'node:process';

import { loadConfig } from '../shared/config.js';
import type { Releasers } from '../shared/lifecycle.js';
import { createWatchdog } from '../stack/watchdog.js';
import { createBench } from './bench.js';
import { measuredType, neighbourType } from './load/eventBody.js';
import { startLoad, type Load } from './load/load.js';
import { watchOthers } from './measure/othersShare.js';
import { barePipeline } from './pipelines/bare.js';
import type { Pipeline, PipelineSite, PipelineWebhook } from './pipelines/pipeline.js';
import { servicePipeline } from './pipelines/service.js';
import type { ChildHost } from './processes/childProcess.js';
import { startReceiver, type Receiver } from './receiver/receiver.js';
import type { Machine, Report, Result } from './report/result.js';
import type { Scenario } from './scenarios/scenario.js';
import { throughput } from './scenarios/throughput.js';
import { startServers, type Servers } from './servers.js';

export interface RunOptions {
  readonly scenarios: readonly Scenario[];
  /** How often each is run on each pipeline. */
  readonly runs: number;
  /** Shortened: it shows that all works. */
  readonly quick: boolean;
  /** Where the CPU profiles of the pipelines' processes go; null for none. */
  readonly profileDirectory: string | null;
  readonly onProgress: (line: string) => void;
}

/** What stays the same from one measurement to the next. */
interface Workshop {
  readonly options: RunOptions;
  readonly servers: Servers;
  readonly host: ChildHost;
  readonly load: Load;
  readonly receiver: Receiver;
  readonly takeNumbers: (count: number) => number;
}

interface Measurement {
  readonly scenario: Scenario;
  readonly pipeline: Pipeline;
  readonly run: number;
}

const connections = 50;
const warmUpEvents = 5000;
const quickWarmUpEvents = 1000;

/**
 * Starts servers, and on them one pipeline after the other for each scenario and run. What is started is given to the
 * releasers, and is gone where they have been called or this process has ended.
 */
export async function runBenchmark(options: RunOptions, releasers: Releasers): Promise<Report> {
  const startedAt = new Date().toISOString();
  const workshop = await openWorkshop(options, releasers);
  if (!options.quick) {
    options.onProgress('Warming up the servers …');
    await measure(workshop, { scenario: throughput, pipeline: barePipeline, run: 0 });
  }
  const results: Result[] = [];
  for (const measurement of measurementsOf(options)) {
    const { scenario, pipeline, run } = measurement;
    options.onProgress(`${scenario.name} on ${pipeline.name}, run ${run} of ${options.runs} …`);
    results.push(await measure(workshop, measurement));
  }
  return { startedAt, quick: options.quick, machine: describeMachine(), results };
}

async function openWorkshop(options: RunOptions, releasers: Releasers): Promise<Workshop> {
  options.onProgress('Starting Kafka, MongoDB and Redis …');
  const servers = await startServers(releasers, options.onProgress);
  // Never closed: what it still guards when this process ends, it ends too.
  const watchdog = createWatchdog();
  const host = { watchdog, releasers, logDirectory: servers.directory };
  const [load, receiver] = await Promise.all([startLoad(host), startReceiver(host)]);
  let nextNumber = 0;
  const takeNumbers = (count: number) => {
    nextNumber += count;
    return nextNumber - count;
  };
  return { options, servers, host, load, receiver, takeNumbers };
}

/** Every other run begins with the other pipeline: the second may find a machine that is warmer, or more tired. */
function measurementsOf({ scenarios, runs }: RunOptions): readonly Measurement[] {
  const pipelines = [barePipeline, servicePipeline];
  return scenarios.flatMap((scenario) =>
    Array.from({ length: runs }, (_, index) => index + 1).flatMap((run) =>
      (run % 2 === 1 ? pipelines : pipelines.toReversed())
        .filter(({ name }) => scenario.pipelines?.includes(name) ?? true)
        .map((pipeline) => ({ scenario, pipeline, run })),
    ),
  );
}

/** One scenario on one pipeline, which begins with nothing in its topics and its database. */
async function measure(workshop: Workshop, { scenario, pipeline, run }: Measurement): Promise<Result> {
  const { options, servers, load, receiver, takeNumbers } = workshop;
  const site = siteOf(workshop, pipeline);
  const running = await pipeline.start(site, webhooksOf(scenario, receiver));
  const bench = createBench({
    quick: options.quick,
    servers,
    load,
    receiver,
    pipeline: running,
    site,
    webhooks: scenario.webhooks,
    takeNumbers,
  });
  const children = [...running.processes.values(), load.process, receiver.process];
  const warmUpAndMeasure = async () => {
    await bench.deliver(options.quick ? quickWarmUpEvents : warmUpEvents, { loop: 'closed', connections });
    await bench.untilDrained();
    const othersShare = await watchOthers([
      ...servers.pids.values(),
      process.pid,
      ...children.map(({ pid }) => pid),
    ]);
    const figures = await scenario.measure(bench);
    return { figures, othersShare: await othersShare() };
  };
  const measured = await Promise.race([warmUpAndMeasure(), ...children.map(({ lost }) => lost)]);
  await running.stop();
  return { scenario: scenario.name, pipeline: pipeline.name, run, ...measured };
}

function webhooksOf({ webhooks, neighbourAnswersAfterMs }: Scenario, receiver: Receiver): PipelineWebhook[] {
  const measured = Array.from({ length: webhooks }, (_, webhook) => ({
    url: receiver.webhookUrl(webhook),
    eventType: measuredType,
  }));
  return neighbourAnswersAfterMs === undefined
    ? measured
    : [
        ...measured,
        { url: receiver.webhookUrl(webhooks, neighbourAnswersAfterMs), eventType: neighbourType },
      ];
}

function siteOf({ options, servers, host }: Workshop, pipeline: Pipeline): PipelineSite {
  const { kafka, mongodb, redis } = servers.addresses;
  const name = `${pipeline.name}-${randomBytes(4).toString('hex')}`;
  const database = new URL(mongodb.url);
  database.pathname = `/${name}`;
  const environment = {
    KAFKA_BROKERS: kafka.brokers.join(','),
    MONGODB_URL: database.href,
    REDIS_URL: redis.url,
    HOST: '127.0.0.1',
    PORT: '0',
    POSTRIDER_TOPIC_PREFIX: `${name}.`,
    POSTRIDER_REPLICATION: '1',
    POSTRIDER_ENCRYPTION_KEYS: `bench:${randomBytes(32).toString('base64')}`,
    POSTRIDER_ALLOW_HTTP: 'true',
    POSTRIDER_ALLOW_PRIVATE_ADDRESSES: 'true',
  };
  const profile = options.profileDirectory;
  const nodeOptions = profile === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  return { environment, config: loadConfig(environment), nodeOptions, host };
}

function describeMachine(): Machine {
  const [first] = cpus();
  return {
    cpu: first?.model ?? 'unknown',
    cores: cpus().length,
    memoryBytes: totalmem(),
    node: process.version,
  };
}
