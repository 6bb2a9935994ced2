import { measuredType, neighbourType } from './load/eventBody.js';
import type { Load } from './load/load.js';
import { untilDrained } from './measure/drained.js';
import { readUsage } from './measure/processUsage.js';
import type { PipelineSite, RunningPipeline } from './pipelines/pipeline.js';
import type { Receiver } from './receiver/receiver.js';
import type { Bench, LoadShape, UsageByProcess } from './scenarios/scenario.js';
import type { Servers } from './servers.js';

export interface BenchDependencies {
  readonly quick: boolean;
  readonly servers: Servers;
  readonly load: Load;
  readonly receiver: Receiver;
  readonly pipeline: RunningPipeline;
  readonly site: PipelineSite;
  readonly webhooks: number;
  /** Gives the number of the first of so many events: none is used twice in a run. */
  readonly takeNumbers: (count: number) => number;
}

/** Puts together what a scenario works with. */
export function createBench(dependencies: BenchDependencies): Bench {
  const { quick, servers, load, receiver, pipeline, site, webhooks, takeNumbers } = dependencies;
  const { config } = site;
  const pids = new Map([...pipeline.processes].map(([role, { pid }]) => [role, pid]));
  const post = (plan: LoadShape & { first: number; count: number; type: string }) =>
    load.run({ ...plan, url: pipeline.eventsUrl, headers: { ...pipeline.headers } });
  return {
    quick,
    deliver: async (count, shape) => {
      const first = takeNumbers(count);
      const report = await post({ ...shape, first, count, type: measuredType });
      const numbers = Array.from({ length: webhooks }, (_, webhook) => webhook);
      const arrivals = await Promise.all(
        numbers.map((webhook) => receiver.arrivals({ webhook, first, count })),
      );
      return { report, arrivals };
    },
    postAsNeighbour: async (count, shape) => {
      await post({ ...shape, first: takeNumbers(count), count, type: neighbourType });
    },
    untilDrained: () => untilDrained(servers.addresses.kafka.brokers, config.topics.prefix),
    target: { eventsUrl: pipeline.eventsUrl, headers: pipeline.headers, mongodbUrl: config.mongodb.url },
    site,
    usage: async () => ({ own: await usageOf(pids), servers: await usageOf(servers.pids) }),
  };
}

async function usageOf(pids: ReadonlyMap<string, number>): Promise<UsageByProcess> {
  const entries = await Promise.all(
    [...pids].map(async ([name, pid]) => [name, await readUsage(pid)] as const),
  );
  return new Map(entries);
}
