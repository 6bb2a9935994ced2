import { Kafka, logLevel } from 'kafkajs';

import type { Config } from '../../shared/settings/config.js';
import { connectMongo } from '../../shared/store/client/client.js';

/**
 * Deletes the topics, groups and database of a pipeline that has stopped: servers that hold those of fifty others are slower
 * for the next one.
 */
export async function forgetSite({ kafka, topics, mongodb }: Config): Promise<void> {
  await Promise.all([forgetTopics(kafka.brokers, topics.prefix), dropDatabase(mongodb.url)]);
}

async function forgetTopics(brokers: readonly string[], prefix: string): Promise<void> {
  const admin = new Kafka({
    clientId: 'benchmark',
    brokers: [...brokers],
    logLevel: logLevel.NOTHING,
  }).admin();
  await admin.connect();
  try {
    const topics = (await admin.listTopics()).filter((topic) => topic.startsWith(prefix));
    await admin.deleteTopics({ topics });
    const { groups } = await admin.listGroups();
    await admin.deleteGroups(
      groups.map(({ groupId }) => groupId).filter((groupId) => groupId.startsWith(prefix)),
    );
  } finally {
    await admin.disconnect();
  }
}

async function dropDatabase(url: string): Promise<void> {
  const { database, close } = await connectMongo(url, 'bench');
  try {
    await database.dropDatabase();
  } finally {
    await close();
  }
}
