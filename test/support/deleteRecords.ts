import { withStores } from '../../cli/environment/stores.js';
import type { Config } from '../../shared/settings/config.js';
import { fullTopicName, type TopicName } from '../../shared/log/topics/names.js';

/** Deletes all records of these topics, as their retention does. Some partitions become empty. */
export async function deleteRecords(config: Config, ...topics: readonly TopicName[]): Promise<void> {
  await withStores(config, async ({ kafka }) => {
    const admin = kafka.admin();
    await admin.connect();
    for (const topic of topics.map((name) => fullTopicName(config.topics.prefix, name))) {
      const bounds = await admin.fetchTopicOffsets(topic);
      const partitions = bounds
        .filter(({ low, high }) => low !== high)
        .map(({ partition, high }) => ({ partition, offset: high }));
      await admin.deleteTopicRecords({ topic, partitions });
    }
    await admin.disconnect();
  });
}
