import type { Endpoint } from '../fixtures/endpoint.js';
import { openStoredEvents, type ListQuery } from '../fixtures/storedEvents.js';
import { summarizeLatencies } from '../measure/latencies.js';
import { atMost } from '../results/targets.js';
import type { Scenario } from './scenario.js';

const few = 1000;
const many = 1_000_000;
const quickMany = 5000;
/** Of each group. The groups give values for an interval. */
const rounds = 100;
const quickRounds = 5;
const groups = 8;
/** The first rounds open connections and compile code. */
const warmUpRounds = 20;
const filters = ['createdLte', 'type', 'webhookId', 'deliveryStatus', 'webhookId, deliveryStatus'];

/** Whether a page takes as long in a long list as in a short one. */
export const lists: Scenario = {
  name: 'lists',
  description: `pages of 20 among ${few.toLocaleString('en')} and ${many.toLocaleString('en')} events of one account, with each filter`,
  webhooks: 1,
  isForBare: false,
  pairs: 1,
  rows: ['first page', 'page in the middle', ...filters].map((query) => ({
    figure: ratioNameOf(query),
    unit: '×',
    targets: [atMost(1.5)],
  })),
  measure: async ({ quick, endpoint }) => {
    const stored = await openStoredEvents(endpoint.mongodbUrl);
    try {
      const inShort = await p99sOf(endpoint, await stored.fill(few), quick);
      const inLong = await p99sOf(endpoint, await stored.fill(quick ? quickMany : many), quick);
      return inLong.map((p99s, group) =>
        Object.fromEntries(
          [...p99s].flatMap(([query, p99]) => [
            [`${query}, p99 in milliseconds`, p99],
            [ratioNameOf(query), p99 / (inShort[group]?.get(query) ?? NaN)],
          ]),
        ),
      );
    } finally {
      await stored.close();
    }
  },
};

function ratioNameOf(query: string): string {
  return `${query}, p99 among ${many.toLocaleString('en')} / ${few.toLocaleString('en')}`;
}

/** By group, then by query, in milliseconds. */
async function p99sOf(
  endpoint: Endpoint,
  queries: readonly ListQuery[],
  quick: boolean,
): Promise<readonly ReadonlyMap<string, number>[]> {
  await readPages(endpoint, queries, warmUpRounds);
  const p99s: ReadonlyMap<string, number>[] = [];
  for (let group = 0; group < groups; group += 1) {
    const latencies = await readPages(endpoint, queries, quick ? quickRounds : rounds);
    p99s.push(new Map([...latencies].map(([query, ms]) => [query, summarizeLatencies(ms).p99])));
  }
  return p99s;
}

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
