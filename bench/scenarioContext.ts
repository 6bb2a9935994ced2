import { fileURLToPath } from 'node:url';

import type { Deployment } from './deployment.js';
import type { UsageByProcess } from './measure/figures.js';
import { untilDrained } from './measure/untilDrained.js';
import { startChild, type ChildProcess } from './processes/childProcess.js';
import { readUsage } from './processes/processUsage.js';
import type { EventRange } from './receiver/requests.js';
import type { EventNumbers, ScenarioContext } from './scenarios/scenario.js';
import type { Harness, Testbed } from './testbed.js';

interface ScenarioContextOptions extends Harness {
  readonly quick: boolean;
  readonly testbed: Testbed;
  readonly deployment: Deployment;
  readonly webhooks: number;
  /** Gets the programs of `takeCores`. */
  readonly busyCores: ChildProcess[];
}

const busyCoreProgram = fileURLToPath(new URL('./processes/busyCoreMain.js', import.meta.url));

export function createScenarioContext(options: ScenarioContextOptions): ScenarioContext {
  const { quick, testbed, deployment, loadGenerator, receiver, webhooks, busyCores } = options;
  const { running: pipeline, options: pipelineOptions } = deployment;
  const { config } = pipelineOptions;
  const { eventsUrl, headers } = pipeline;
  const ofEachWebhook = <Answer>(ask: (range: EventRange) => Promise<Answer>, numbers: EventNumbers) =>
    Promise.all(Array.from({ length: webhooks }, (_, webhook) => ask({ webhook, ...numbers })));
  const post: ScenarioContext['post'] = (numbers, shape) =>
    loadGenerator.run({ ...shape, ...numbers, url: eventsUrl, headers: { ...headers } });
  const allArrivals: ScenarioContext['allArrivals'] = (numbers) =>
    ofEachWebhook(receiver.allArrivals, numbers);
  return {
    quick,
    takeNumbers: testbed.takeNumbers,
    post,
    accepted: loadGenerator.accepted,
    allArrivals,
    arrivals: (numbers) => ofEachWebhook(receiver.arrivals, numbers),
    deliver: async (count, shape) => {
      const numbers = testbed.takeNumbers(count);
      const report = await post(numbers, shape);
      return { report, arrivals: await allArrivals(numbers) };
    },
    receiver,
    untilDrained: () => untilDrained(testbed.brokers, config.topics.prefix),
    usage: async () => ({
      // The processes that run now: a scenario may have restarted some.
      own: await usageOf(new Map([...pipeline.processes].map(([name, { pid }]) => [name, pid]))),
      servers: await usageOf(testbed.serverPids),
    }),
    takeCores: async (count) => {
      const programs = await Promise.all(
        Array.from({ length: count }, (_, core) =>
          startChild({ name: `busy-core-${core}`, program: busyCoreProgram }, testbed.host),
        ),
      );
      busyCores.push(...programs);
      return async () => {
        await Promise.all(programs.map((program) => program.stop()));
      };
    },
    pipeline,
    endpoint: { eventsUrl, headers, mongodbUrl: config.mongodb.url },
    pipelineOptions,
  };
}

async function usageOf(pids: ReadonlyMap<string, number>): Promise<UsageByProcess> {
  const entries = await Promise.all(
    [...pids].map(async ([name, pid]) => [name, await readUsage(pid)] as const),
  );
  return new Map(entries);
}
