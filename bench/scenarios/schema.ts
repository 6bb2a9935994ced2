import { costOfSchemaCheck } from '../costs/schemaCheck.js';
import { atMost } from '../results/targets.js';
import type { Scenario } from './scenario.js';

const events = 50_000;
const cost = 'CPU of the check of a typical event';

/** What the check of an event with the schema of its type adds to a request. */
export const schema: Scenario = {
  name: 'schema',
  description:
    'the check of an event of 0.5 KiB with a schema of 12 properties and a pattern, in the process of the benchmark',
  webhooks: 1,
  pairs: 5,
  pipelines: ['service'],
  targets: [atMost(cost, 0.02, 'ms')],
  measure: async ({ quick }) => [
    { name: cost, unit: 'ms', value: await costOfSchemaCheck(quick ? events / 10 : events) },
  ],
};
