import type { Config } from '../../shared/settings/config.js';
import { createKafkaClient, type Kafka } from '../../shared/log/client/client.js';
import { createLogger } from '../../shared/core/logger.js';
import { checkKafka } from './checkServers.js';

/**
 * Runs `work` with a Kafka client, for commands that need no database. The creation of the client opens no connection.
 * @throws ServerUnreachableError if no broker accepts a connection. Errors of `work` are passed on.
 */
export async function withKafka<Result>(
  config: Config,
  work: (kafka: Kafka) => Promise<Result>,
): Promise<Result> {
  await checkKafka(config);
  const logger = createLogger({ role: 'cli', level: 'silent', isTerminal: false });
  return work(createKafkaClient(config.kafka, { clientId: 'postrider-cli', logger }));
}
