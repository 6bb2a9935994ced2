import { measuredType, neighbourType } from './load/eventBody.js';
import type { Load } from './load/load.js';
import { untilDrained } from './measure/drained.js';
import { readUsage } from './measure/processUsage.js';
import { modelBytes, topicBytes } from './measure/storedBytes.js';
import type { PipelineSite, RunningPipeline } from './pipelines/pipeline.js';
import type { EventRange } from './receiver/questions.js';
import type { Receiver } from './receiver/receiver.js';
import type { Bench, EventNumbers, LoadShape, UsageByProcess } from './scenarios/scenario.js';
import type { Servers } from './servers.js';

export interface BenchDependencies extends Pick<
  Bench,
  'quick' | 'backlogEvents' | 'takeNumbers' | 'keepSeries'
> {
  readonly servers: Servers;
  readonly load: Load;
  readonly receiver: Receiver;
  readonly pipeline: RunningPipeline;
  readonly site: PipelineSite;
  readonly webhooks: number;
}

/** Puts together what a scenario works with. */
export function createBench(dependencies: BenchDependencies): Bench {
  const { quick, backlogEvents, takeNumbers, keepSeries, ...parts } = dependencies;
  const { servers, load, receiver, pipeline, site, webhooks } = parts;
  const { config } = site;
  const send = (type: string, numbers: EventNumbers, shape: LoadShape) =>
    load.run({ ...shape, ...numbers, type, url: pipeline.eventsUrl, headers: { ...pipeline.headers } });
  const post: Bench['post'] = (numbers, shape) => send(measuredType, numbers, shape);
  const ofEachWebhook = <Answer>(ask: (range: EventRange) => Promise<Answer>, numbers: EventNumbers) =>
    Promise.all(Array.from({ length: webhooks }, (_, webhook) => ask({ webhook, ...numbers })));
  const allArrivals: Bench['allArrivals'] = (numbers) => ofEachWebhook(receiver.allArrivals, numbers);
  return {
    quick,
    backlogEvents,
    takeNumbers,
    keepSeries,
    post,
    accepted: load.accepted,
    allArrivals,
    arrivals: (numbers) => ofEachWebhook(receiver.arrivals, numbers),
    arrived: async (numbers) => Math.min(...(await ofEachWebhook(receiver.arrived, numbers))),
    deliver: async (count, shape) => {
      const numbers = takeNumbers(count);
      const report = await post(numbers, shape);
      return { report, arrivals: await allArrivals(numbers) };
    },
    postAsNeighbour: async (count, shape) => {
      await send(neighbourType, takeNumbers(count), shape);
    },
    hanging: receiver,
    untilDrained: () => untilDrained(servers.addresses.kafka.brokers, config.topics.prefix),
    pipeline,
    target: { eventsUrl: pipeline.eventsUrl, headers: pipeline.headers, mongodbUrl: config.mongodb.url },
    site,
    storedBytes: async () => ({
      topics: await topicBytes(servers.directory, config.topics.prefix),
      models: await modelBytes(config.mongodb.url),
    }),
    usage: async () => ({ own: await usageOf(pidsOf(pipeline)), servers: await usageOf(servers.pids) }),
  };
}

/** Of those that run now: a scenario may have started some anew. */
function pidsOf({ processes }: RunningPipeline): ReadonlyMap<string, number> {
  return new Map([...processes].map(([name, { pid }]) => [name, pid]));
}

async function usageOf(pids: ReadonlyMap<string, number>): Promise<UsageByProcess> {
  const entries = await Promise.all(
    [...pids].map(async ([name, pid]) => [name, await readUsage(pid)] as const),
  );
  return new Map(entries);
}
