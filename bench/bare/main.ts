import process from 'node:process';

import { Kafka, logLevel } from 'kafkajs';

import { loadConfig } from '../../shared/settings/config.js';
import { startApi, startDelivery, startProjections, type StartBareRole } from './roles.js';

/**
 * One process of a pipeline made of the same packages as the service, and nothing more: no keys, checks, signatures,
 * retries or guarantees. The difference to the service is the cost of its features.
 *
 * Usage: `main.js api|delivery|projections [WEBHOOK-URL]...`, with the service's settings in the environment.
 */
const roles = new Map<string, StartBareRole>([
  ['api', startApi],
  ['delivery', startDelivery],
  ['projections', startProjections],
]);

const [role = '', ...webhookUrls] = process.argv.slice(2);
const start = roles.get(role);
if (start === undefined) {
  throw new Error(`There is no role "${role}": use one of ${[...roles.keys()].join(', ')}.`);
}
const config = loadConfig(process.env);
const { prefix } = config.topics;
const address = await start({
  config,
  kafka: new Kafka({ clientId: `bare-${role}`, brokers: config.kafka.brokers, logLevel: logLevel.ERROR }),
  topics: { events: `${prefix}events`, outcomes: `${prefix}deliveries` },
  webhookUrls,
});
process.send?.({ type: 'running', address });
process.once('SIGTERM', () => process.exit(0));
process.once('disconnect', () => process.exit(0));
