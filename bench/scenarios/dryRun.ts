import { openStoredEvents } from '../fixtures/storedEvents.js';
import type { Figure } from '../results/result.js';
import type { Scenario, Endpoint } from './scenario.js';

const events = 1_000_000;
const quickEvents = 20_000;
const selections = ['all', 'missing'] as const;

/** The latency of counting the events that a replay would match. */
export const dryRun: Scenario = {
  name: 'dryRun',
  description: `replays of ${events.toLocaleString('en')} events of one account that are counted but not delivered, with each selection of events`,
  webhooks: 1,
  pairs: 1,
  pipelines: ['service'],
  measure: async ({ quick, endpoint }) => {
    const stored = await openStoredEvents(endpoint.mongodbUrl);
    try {
      await stored.fill(quick ? quickEvents : events);
      const webhookId = await createWebhook(endpoint);
      const figures: Figure[] = [];
      const since = '2000-01-01T00:00:00Z';
      for (const only of selections) {
        const startedAt = performance.now();
        await post(endpoint, '/v1/replays', { webhookId, since, only, dryRun: true });
        figures.push({ name: `counted, ${only}`, unit: 'ms', value: performance.now() - startedAt });
      }
      return figures;
    } finally {
      await stored.close();
    }
  },
};

/** Creates a webhook for all events. Nothing is delivered to it. */
async function createWebhook(endpoint: Endpoint): Promise<string> {
  const webhook = { url: 'http://127.0.0.1:9/', events: ['*'] };
  const { id } = (await post(endpoint, '/v1/webhooks', webhook)) as { readonly id: string };
  return id;
}

async function post({ eventsUrl, headers }: Endpoint, path: string, body: object): Promise<unknown> {
  const request = { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(new URL(path, eventsUrl), request);
  const answer: unknown = await response.json();
  if (!response.ok) {
    throw new Error(`${path} was not answered: ${response.status} ${JSON.stringify(answer)}`);
  }
  return answer;
}
