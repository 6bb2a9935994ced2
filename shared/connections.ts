import type { Config } from './config.js';
import { createKafkaClient, type Kafka } from './kafka/client.js';
import { createGroupOffsets, type GroupOffsets } from './kafka/groupOffsets.js';
import { createTopicOffsets, type TopicOffsets } from './kafka/topicOffsets.js';
import type { Releasers } from './lifecycle.js';
import type { Logger } from './logger.js';
import { connectMongo, type Mongo } from './mongo/client.js';
import { createModelProgress, type ModelProgress } from './mongo/modelProgress.js';
import { createReadModels, type ModelName, type ReadModels } from './mongo/readModels.js';
import type { ReadinessCheck } from './role.js';
import { topicNames } from './topics/names.js';

/** What every role uses: the client of the log, the database, and reads of the models. */
export interface Connections {
  readonly kafka: Kafka;
  readonly mongo: Mongo;
  readonly offsets: TopicOffsets;
  readonly groups: GroupOffsets;
  readonly models: ReadModels;
  readonly progress: Readonly<Record<ModelName, ModelProgress>>;
  /** That the log and the database answer. */
  readonly checks: readonly ReadinessCheck[];
  /**
   * That each model is complete without which the API has nothing to answer: what is missing in one that is not may still
   * exist. Lists of attempts, the audit log and figures are a 503 by themselves while theirs are being built.
   */
  readonly modelChecks: readonly ReadinessCheck[];
}

const neededModels: readonly ModelName[] = ['accounts', 'webhooks', 'events'];

/** Connects to Kafka and MongoDB, and registers how to disconnect. */
export async function openConnections(
  config: Config,
  options: { role: string; logger: Logger; releasers: Releasers },
): Promise<Connections> {
  const { role, logger, releasers } = options;
  const mongo = await connectMongo(config.mongodb.url, `postrider-${role}`);
  releasers.add('mongodb', mongo.close);
  const kafka = createKafkaClient(config.kafka, { clientId: `postrider-${role}`, logger });
  const admin = kafka.admin();
  await admin.connect();
  releasers.add('kafka admin', () => admin.disconnect());
  const offsets = createTopicOffsets(admin, config.topics.prefix);
  const models = createReadModels(mongo.database);
  return {
    kafka,
    mongo,
    offsets,
    groups: createGroupOffsets(admin, config.topics.prefix),
    models,
    progress: {
      events: createModelProgress(models.events.meta),
      webhooks: createModelProgress(models.webhooks.meta),
      accounts: createModelProgress(models.accounts.meta),
      attempts: createModelProgress(models.attempts.meta),
      audit: createModelProgress(models.audit.meta),
      stats: createModelProgress(models.stats.meta),
      replays: createModelProgress(models.replays.meta),
    },
    modelChecks: neededModels.map((name) => ({
      name: `model ${name}`,
      check: async () => ((await models[name].meta()).complete ? null : 'being built from the log'),
    })),
    checks: [
      {
        name: 'kafka',
        check: async () => {
          await Promise.all(topicNames.map((topic) => offsets.ends(topic)));
          return null;
        },
      },
      {
        name: 'mongodb',
        check: async () => {
          await mongo.database.command({ ping: 1 });
          return null;
        },
      },
    ],
  };
}
