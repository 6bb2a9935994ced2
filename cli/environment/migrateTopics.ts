import type { Config } from '../../shared/settings/config.js';
import { createKafkaClient } from '../../shared/log/client/client.js';
import { carryOut, planTopics, waitForGroups } from '../../shared/log/client/topicAdministration.js';
import type { TopicDifference } from '../../shared/log/client/topicDifferences.js';
import { createLogger } from '../../shared/core/logger.js';
import { topicDefinitions } from '../../shared/log/topics/names.js';
import { checkKafka } from './checkServers.js';

export interface Migration {
  /** The topics that were missing. */
  readonly created: readonly string[];
  /** What was set otherwise on topics that were there. */
  readonly changed: readonly TopicDifference[];
  /** What differs and stays as it is. */
  readonly warnings: readonly TopicDifference[];
}

/**
 * Creates the topics that are missing, has the others follow the settings, and reports what differs else. The read models'
 * collections and indexes are made by the projections when they begin a model.
 * @param isDryRun whether it only says what it would do
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
