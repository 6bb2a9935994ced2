import type { Config } from '../shared/config.js';
import { createKafkaClient, type Kafka } from '../shared/kafka/client.js';
import { createLogger } from '../shared/logger.js';

/** Runs `work` with a client of the log alone: for commands that need no database. It opens nothing by itself. */
export function withKafka<Result>(config: Config, work: (kafka: Kafka) => Promise<Result>): Promise<Result> {
  const logger = createLogger({ role: 'cli', level: 'silent', isTerminal: false });
  return work(createKafkaClient(config.kafka, { clientId: 'postrider-cli', logger }));
}
