import type { Config } from '../../shared/settings/config.js';
import { createKafkaClient } from '../../shared/log/client/client.js';
import { carryOut, planTopics, waitForGroups } from '../../shared/log/client/topicAdministration.js';
import type { TopicDifference } from '../../shared/log/client/topicDifferences.js';
import { createLogger } from '../../shared/core/logger.js';
import { topicDefinitions } from '../../shared/log/topics/names.js';
import { checkKafka } from './checkServers.js';

export interface Migration {
  /** The names of the created topics. */
  readonly created: readonly string[];
  /** The changed configuration of topics that existed before. */
  readonly changed: readonly TopicDifference[];
  /** The differences in the configuration of topics that were not changed. */
  readonly warnings: readonly TopicDifference[];
}

/**
 * Creates the missing topics, applies the settings to the existing topics, and reports the remaining differences. The
 * projections create the collections and indexes of the read models.
 * @param isDryRun whether the function only reports what it would do
 */
export async function migrate(config: Config, isDryRun = false): Promise<Migration> {
  await checkKafka(config);
  const logger = createLogger({ role: 'migrate', level: 'silent', isTerminal: false });
  const admin = createKafkaClient(config.kafka, { clientId: 'postrider-migrate', logger }).admin();
  await admin.connect();
  try {
    const plan = await planTopics(admin, topicDefinitions(config.topics));
    if (!isDryRun) {
      await carryOut(admin, plan);
      await waitForGroups(admin);
    }
    const { missing, changes: changed, warnings } = plan;
    return { created: missing.map(({ topic }) => topic), changed, warnings };
  } finally {
    await admin.disconnect();
  }
}
