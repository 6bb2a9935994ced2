import { measuredType, neighborType } from './load/eventBody.js';
import type { LoadGenerator } from './load/loadGenerator.js';
import type { UsageByProcess } from './measure/figures.js';
import { untilDrained } from './measure/untilDrained.js';
import { readUsage } from './processes/processUsage.js';
import { modelBytes, topicBytes } from './measure/storedBytes.js';
import type { PipelineOptions, RunningPipeline } from './pipelines/pipeline.js';
import type { EventRange } from './receiver/requests.js';
import type { Receiver } from './receiver/receiver.js';
import type { EventNumbers, LoadShape, ScenarioContext } from './scenarios/scenario.js';
import type { Servers } from './servers.js';

export interface ScenarioContextOptions extends Pick<
  ScenarioContext,
  'quick' | 'backlogEvents' | 'tenants' | 'takeNumbers' | 'keepSeries' | 'keepFlameGraph'
> {
  readonly servers: Servers;
  readonly loadGenerator: LoadGenerator;
  readonly receiver: Receiver;
  readonly pipeline: RunningPipeline;
  readonly pipelineOptions: PipelineOptions;
  readonly webhooks: number;
}

export function createScenarioContext(options: ScenarioContextOptions): ScenarioContext {
  const { quick, backlogEvents, tenants, takeNumbers, keepSeries, keepFlameGraph, ...parts } = options;
  const { servers, loadGenerator, receiver, pipeline, pipelineOptions, webhooks } = parts;
  const { config } = pipelineOptions;
  const send = (type: string, numbers: EventNumbers, shape: LoadShape) =>
    loadGenerator.run({
      ...shape,
      ...numbers,
      type,
      url: pipeline.eventsUrl,
      headers: { ...pipeline.headers },
    });
  const post: ScenarioContext['post'] = (numbers, shape) => send(measuredType, numbers, shape);
  const ofEachWebhook = <Answer>(ask: (range: EventRange) => Promise<Answer>, numbers: EventNumbers) =>
    Promise.all(Array.from({ length: webhooks }, (_, webhook) => ask({ webhook, ...numbers })));
  const allArrivals: ScenarioContext['allArrivals'] = (numbers) =>
    ofEachWebhook(receiver.allArrivals, numbers);
  return {
    quick,
    backlogEvents,
    tenants,
    takeNumbers,
    keepSeries,
    keepFlameGraph,
    post,
    accepted: loadGenerator.accepted,
    allArrivals,
    arrivals: (numbers) => ofEachWebhook(receiver.arrivals, numbers),
    arrived: async (numbers) => Math.min(...(await ofEachWebhook(receiver.arrived, numbers))),
    deliver: async (count, shape) => {
      const numbers = takeNumbers(count);
      const report = await post(numbers, shape);
      return { report, arrivals: await allArrivals(numbers) };
    },
    postAsNeighbor: async (count, shape) => {
      await send(neighborType, takeNumbers(count), shape);
    },
    read: (url, count, perSecond) =>
      loadGenerator.read({ loop: 'reads', url, headers: { ...pipeline.headers }, count, perSecond }),
    webhookUrl: receiver.webhookUrl,
    hanging: receiver,
    untilDrained: () => untilDrained(servers.addresses.kafka.brokers, config.topics.prefix),
    pipeline,
    endpoint: { eventsUrl: pipeline.eventsUrl, headers: pipeline.headers, mongodbUrl: config.mongodb.url },
    pipelineOptions,
    storedBytes: async () => ({
      topics: await topicBytes(servers.directory, config.topics.prefix),
      models: await modelBytes(config.mongodb.url),
    }),
    usage: async () => ({ own: await usageOf(pidsOf(pipeline)), servers: await usageOf(servers.pids) }),
  };
}

/** The processes that run now: a scenario may have restarted some. */
function pidsOf({ processes }: RunningPipeline): ReadonlyMap<string, number> {
  return new Map([...processes].map(([name, { pid }]) => [name, pid]));
}

async function usageOf(pids: ReadonlyMap<string, number>): Promise<UsageByProcess> {
  const entries = await Promise.all(
    [...pids].map(async ([name, pid]) => [name, await readUsage(pid)] as const),
  );
  return new Map(entries);
}
