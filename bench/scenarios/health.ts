import { createWebhook, requestJson, type Endpoint } from '../fixtures/endpoint.js';
import { removeDeliveries, storeDeliveries } from '../fixtures/storedDeliveries.js';
import { summarizeLatencies } from '../measure/latencies.js';
import { atMost } from '../results/targets.js';
import type { Figure } from '../results/result.js';
import type { Scenario } from './scenario.js';

const webhooks = 100;
const sizes = { events: 1_000_000, failed: 50_000 };
const quickSizes = { events: 5000, failed: 250 };
/** Of each group. The groups give values for an interval. */
const rounds = 100;
const quickRounds = 5;
const groups = 8;
/** The first rounds open connections and compile code. */
const warmUpRounds = 20;
const perSecond = 100;
const ofAll = 'all webhooks with health';
const whileDelivering = `next to ${perSecond} events a second`;

/** The time of reads of counts, among many deliveries. */
export const health: Scenario = {
  name: 'health',
  description: `the health of ${webhooks} webhooks with ${sizes.events.toLocaleString('en')} deliveries, of which ${sizes.failed.toLocaleString('en')} to one of them failed`,
  webhooks: 1,
  pairs: 1,
  pipelines: ['service'],
  targets: [atMost(`${ofAll}, p99`, 50, 'ms')],
  measure: async (context) => {
    const { quick, endpoint } = context;
    const webhookIds: string[] = [];
    // The account has one webhook, which gets the events of the load.
    for (let number = 1; number < webhooks; number += 1) {
      webhookIds.push(await createWebhook(endpoint, { url: 'http://127.0.0.1:9/', events: ['none'] }));
    }
    await storeDeliveries(endpoint.mongodbUrl, { webhookIds, ...(quick ? quickSizes : sizes) });
    const paths = new Map([
      [ofAll, '/v1/webhooks?include=health'],
      ['health of the failing webhook', `/v1/webhooks/${webhookIds[0] ?? ''}/health`],
      ['health of the account', '/v1/delivery-health'],
    ]);
    const times = quick ? quickRounds : rounds;
    await readAll(endpoint, paths, warmUpRounds);
    const figures: (readonly Figure[])[] = [];
    for (let group = 0; group < groups; group += 1) {
      figures.push(figuresOf(await readAll(endpoint, paths, times)));
    }
    const load = { hasEnded: false };
    const delivering = context.deliver(times * 5, { loop: 'open', perSecond }).finally(() => {
      load.hasEnded = true;
    });
    while (!load.hasEnded) {
      const next = figuresOf(await readAll(endpoint, paths, 1));
      figures.push(next.map((figure) => ({ ...figure, name: `${figure.name}, ${whileDelivering}` })));
    }
    await delivering;
    // The measurement may be repeated with the same account.
    for (const id of webhookIds) {
      await requestJson(endpoint, `/v1/webhooks/${id}`, { method: 'DELETE' });
    }
    await removeDeliveries(endpoint.mongodbUrl, webhookIds);
    return figures.flat();
  },
};

/** Reads each path in turn. Returns the latencies by name, in milliseconds. */
async function readAll(
  endpoint: Endpoint,
  paths: ReadonlyMap<string, string>,
  times: number,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const latencies = new Map([...paths].map(([name]) => [name, [] as number[]]));
  for (let round = 0; round < times; round += 1) {
    for (const [name, path] of paths) {
      const startedAt = performance.now();
      await requestJson(endpoint, path);
      latencies.get(name)?.push(performance.now() - startedAt);
    }
  }
  return latencies;
}

function figuresOf(latencies: ReadonlyMap<string, readonly number[]>): readonly Figure[] {
  return [...latencies].flatMap(([name, values]): readonly Figure[] => {
    const { p50, p99 } = summarizeLatencies(values);
    return [
      { name: `${name}, p50`, unit: 'ms', value: p50 },
      { name: `${name}, p99`, unit: 'ms', value: p99 },
    ];
  });
}
