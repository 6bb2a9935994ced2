import { inParallel } from '../../shared/concurrency/inParallel.js';
import { costOfFilter } from '../costs/filterEvaluation.js';
import { createWebhook, requestJson } from '../fixtures/endpoint.js';
import { usageFigures } from '../measure/figures.js';
import type { Figure } from '../results/result.js';
import { atMost } from '../results/targets.js';
import type { Scenario, ScenarioContext } from './scenario.js';

const webhooks = 100 - 1;
const events = 10_000;
const evaluatedEvents = 2000;
const load = { loop: 'closed', connections: 50 } as const;
const createdAtOnce = 4;
/** The filter reads the data of each event, and holds for none. */
const filter = { data: { amount: { $gt: 1_000_000 }, currency: 'eur' } };

const names = {
  one: 'CPU of a filter, evaluated for one webhook',
  many: `CPU of a filter, evaluated for ${webhooks} webhooks`,
  without: 'without filters',
  with: `with ${webhooks} filters`,
  added: 'CPU of delivery that a filter adds to an event',
} as const;
const delivery = '  delivery';

/** What the filters of an account's other webhooks cost an event. */
export const filters: Scenario = {
  name: 'filters',
  description: `${events.toLocaleString('en')} events to one webhook, without and with ${webhooks} further webhooks whose filters hold for no event. And the evaluation alone, of a filter with four conditions on an event of 1 KiB`,
  webhooks: 1,
  pairs: 3,
  pipelines: ['service'],
  targets: [atMost(names.one, 20, 'µs'), atMost(names.many, 5, 'µs')],
  measure: async (context) => {
    const without = await delivered(context);
    const ids: string[] = [];
    await inParallel([...Array(webhooks).keys()], createdAtOnce, async () => {
      ids.push(await createFilteredWebhook(context));
    });
    const withFilters = await delivered(context);
    await inParallel(ids, createdAtOnce, (id) =>
      requestJson(context.endpoint, `/v1/webhooks/${id}`, { method: 'DELETE' }),
    );
    const evaluated = context.quick ? evaluatedEvents / 10 : evaluatedEvents;
    return [
      { name: names.one, unit: 'µs', value: 1000 * (await costOfFilter(evaluated, 1)) },
      { name: names.many, unit: 'µs', value: 1000 * (await costOfFilter(evaluated, webhooks)) },
      ...named(without, names.without),
      ...named(withFilters, names.with),
      {
        name: names.added,
        unit: 'µs',
        value: (1000 * (cpuOf(withFilters) - cpuOf(without))) / webhooks,
      },
    ];
  },
};

function createFilteredWebhook({ endpoint, webhookUrl }: ScenarioContext): Promise<string> {
  return createWebhook(endpoint, { url: webhookUrl(0), events: ['*'], filter });
}

/** The CPU time of each process for an event. */
async function delivered({
  quick,
  deliver,
  untilDrained,
  usage,
}: ScenarioContext): Promise<readonly Figure[]> {
  const count = quick ? events / 20 : events;
  const before = await usage();
  await deliver(count, load);
  await untilDrained();
  return usageFigures(before, await usage(), count).filter(({ unit }) => unit === 'ms');
}

function named(figures: readonly Figure[], condition: string): readonly Figure[] {
  return figures.map((figure) => ({ ...figure, name: `${figure.name.trim()}, ${condition}` }));
}

function cpuOf(figures: readonly Figure[]): number {
  return figures.find(({ name }) => name === delivery)?.value ?? NaN;
}
