import type { Endpoint } from '../fixtures/endpoint.js';
import { openStoredEvents, type ListQuery } from '../fixtures/storedEvents.js';
import { summarizeLatencies } from '../measure/latencies.js';
import { atMost } from '../results/targets.js';
import type { Figure } from '../results/result.js';
import type { Scenario } from './scenario.js';

const few = 1000;
const many = 1_000_000;
const quickMany = 5000;
/** Of each group. The groups give values for an interval. */
const rounds = 100;
const quickRounds = 5;
const groups = 8;
const filters = ['createdLte', 'type', 'webhookId', 'deliveryStatus', 'webhookId, deliveryStatus'];
/** The first rounds open connections and compile code. */
const warmUpRounds = 20;

/** Whether a page takes as long in a long list as in a short one. */
export const lists: Scenario = {
  name: 'lists',
  description: `pages of 20 among ${few.toLocaleString('en')} and ${many.toLocaleString('en')} events of one account, with each filter`,
  webhooks: 1,
  pairs: 1,
  pipelines: ['service'],
  targets: ['first page', 'page in the middle', ...filters].map((name) =>
    atMost(`${name}, p99 among ${many} / ${few}`, 1.5, '×'),
  ),
  measure: async ({ quick, endpoint }) => {
    const stored = await openStoredEvents(endpoint.mongodbUrl);
    try {
      const figures: (readonly Figure[])[] = [];
      for (const count of [few, quick ? quickMany : many]) {
        const queries = await stored.fill(count);
        await readPages(endpoint, queries, warmUpRounds);
        const ofGroups: (readonly Figure[])[] = [];
        for (let group = 0; group < groups; group += 1) {
          const latencies = await readPages(endpoint, queries, quick ? quickRounds : rounds);
          ofGroups.push(figuresOf(queries, latencies, count));
        }
        figures.push(ofGroups.flat());
      }
      const [short = [], long = []] = figures;
      return short.flatMap((figure, index) => {
        const inLong = long[index] ?? figure;
        return [
          figure,
          inLong,
          { name: `${inLong.name} / ${few}`, unit: '×', value: inLong.value / figure.value } as const,
        ];
      });
    } finally {
      await stored.close();
    }
  },
};

/** Reads the first page of each query in turn. Returns the latencies by query, in milliseconds. */
async function readPages(
  { eventsUrl, headers }: Endpoint,
  queries: readonly ListQuery[],
  times: number,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const latencies = new Map(queries.map(({ name }) => [name, [] as number[]]));
  for (let round = 0; round < times; round += 1) {
    for (const { name, query } of queries) {
      const startedAt = performance.now();
      const response = await fetch(`${eventsUrl}?${query}`, { headers });
      const text = await response.text();
      if (response.status !== 200) {
        throw new Error(`The list "${query}" was not answered: ${response.status} ${text}`);
      }
      latencies.get(name)?.push(performance.now() - startedAt);
    }
  }
  return latencies;
}

function figuresOf(
  queries: readonly ListQuery[],
  latencies: ReadonlyMap<string, readonly number[]>,
  count: number,
): readonly Figure[] {
  return queries.map(({ name }) => ({
    name: `${name}, p99 among ${count}`,
    unit: 'ms',
    value: summarizeLatencies(latencies.get(name) ?? []).p99,
  }));
}
