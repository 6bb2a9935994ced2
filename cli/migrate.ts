import type { Config } from '../shared/config.js';
import { createKafkaClient } from '../shared/kafka/client.js';
import { ensureTopics, waitForGroups } from '../shared/kafka/topicAdministration.js';
import { createLogger } from '../shared/logger.js';
import { topicDefinitions } from '../shared/topics/names.js';

/**
 * Creates the topics that are missing and checks those that are there. The read models' collections and indexes are
 * made by the projections when they begin a model.
 * @returns the names of the topics that were created
 */
export async function migrate(config: Config): Promise<readonly string[]> {
  const logger = createLogger({ role: 'migrate', level: 'silent', isTerminal: false });
  const admin = createKafkaClient(config.kafka, { clientId: 'postrider-migrate', logger }).admin();
  await admin.connect();
  try {
    const created = await ensureTopics(admin, topicDefinitions(config.topics));
    await waitForGroups(admin);
    return created;
  } finally {
    await admin.disconnect();
  }
}
