import { createWebhook, requestJson } from '../fixtures/endpoint.js';
import { openStoredEvents } from '../fixtures/storedEvents.js';
import type { Figure } from '../results/result.js';
import type { Scenario } from './scenario.js';

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
      // Nothing is delivered to the webhook.
      const webhookId = await createWebhook(endpoint, { url: 'http://127.0.0.1:9/', events: ['*'] });
      const figures: Figure[] = [];
      const since = '2000-01-01T00:00:00Z';
      for (const only of selections) {
        const startedAt = performance.now();
        await requestJson(endpoint, '/v1/replays', {
          method: 'POST',
          body: { webhookId, since, only, dryRun: true },
        });
        figures.push({ name: `counted, ${only}`, unit: 'ms', value: performance.now() - startedAt });
      }
      return figures;
    } finally {
      await stored.close();
    }
  },
};
