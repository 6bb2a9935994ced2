import type { Logger } from '../core/logger.js';
import { createAccountKeyCheck } from '../encryption/accountKeys.js';
import { createKafkaClient, type Kafka } from '../log/client/client.js';
import { createGroupOffsets, type GroupOffsets } from '../log/client/groupOffsets.js';
import { createTopicOffsets, type TopicBounds } from '../log/client/topicOffsets.js';
import { verifyRecordFormat } from '../log/kafkajs-internals/replaceRecordFormat.js';
import { createKafkaSockets } from '../log/kafkajs-internals/sockets.js';
import { topicNames } from '../log/topics/names.js';
import type { Releasers } from '../runtime/lifecycle.js';
import type { ReadinessCheck } from '../runtime/readiness.js';
import type { Config } from '../settings/config.js';
import { connecting, kafkaServer, mongodbServer } from '../settings/servers.js';
import { connectMongo, type Mongo } from '../store/client/client.js';
import { createAliases, type Aliases } from '../store/generations/aliases.js';
import { createDocumentsBefore } from '../store/generations/countDocumentsBefore.js';
import {
  createEndedGenerations,
  type EndedGenerations,
  createGenerationStore,
  type GenerationStore,
} from '../store/generations/generationStore.js';
import { createAliasCache, type AliasCache } from '../store/models/aliasCache.js';
import type { ModelName } from '../store/models/modelDefinitions.js';
import { createModelProgress, type ModelProgress } from '../store/models/modelProgress.js';
import { createReadModels, type ReadModels } from '../store/models/readModels.js';
import { createReaderChecks, createWriterChecks } from './modelChecks.js';
import { createModelLosses, type ModelLosses } from './modelLoss.js';

/** The connections and stores that every role uses: Kafka, MongoDB, and the read models. */
export interface Connections {
  readonly kafka: Kafka;
  readonly mongo: Mongo;
  readonly offsets: TopicBounds;
  readonly groups: GroupOffsets;
  readonly aliasCache: AliasCache;
  readonly models: ReadModels;
  readonly aliases: Aliases;
  readonly generations: GenerationStore;
  readonly endedGenerations: EndedGenerations;
  readonly losses: ModelLosses;
  readonly progress: Readonly<Record<ModelName, ModelProgress>>;
  /** The check that Kafka answers. */
  readonly kafkaCheck: ReadinessCheck;
  /** The check that MongoDB answers. */
  readonly mongoCheck: ReadinessCheck;
  /** The readiness checks of a process that reads the read models. */
  readonly readerChecks: readonly ReadinessCheck[];
  /** The readiness checks of a process that writes the read models. */
  readonly writerChecks: readonly ReadinessCheck[];
}

/** Connects to Kafka and MongoDB, and registers how to disconnect when the process stops. */
export async function openConnections(
  config: Config,
  options: { role: string; logger: Logger; releasers: Releasers },
): Promise<Connections> {
  const { role, logger, releasers } = options;
  const mongo = await connecting(
    mongodbServer(config),
    connectMongo(config.mongodb.url, `postrider-${role}`, config.mongodb.tls),
  );
  releasers.add('mongodb', mongo.close);
  const sockets = createKafkaSockets();
  releasers.add('kafka sockets', sockets.close);
  const kafka = createKafkaClient(config.kafka, { clientId: `postrider-${role}`, logger, sockets });
  await verifyRecordFormat();
  const admin = kafka.admin();
  await connecting(kafkaServer(config), admin.connect());
  releasers.add('kafka admin', () => admin.disconnect());
  const offsets = createTopicOffsets(admin, config.topics.prefix);
  const groups = createGroupOffsets(admin, config.topics.prefix);
  const aliasCache = createAliasCache(mongo.database);
  const models = createReadModels(mongo.database, aliasCache);
  const aliases = createAliases(mongo.database);
  const generations = createGenerationStore({ database: mongo.database, offsets });
  const progress = createProgress(models);
  const accountKeyCheck = createAccountKeyCheck({ models, progress, offsets });
  return {
    kafka,
    mongo,
    offsets,
    groups,
    aliasCache,
    models,
    aliases,
    generations,
    endedGenerations: createEndedGenerations({ aliases, generations, groups, prefix: config.topics.prefix }),
    losses: createLosses({ kafka, mongo, offsets }, config.topics.prefix),
    progress,
    readerChecks: [...createReaderChecks({ models, progress, offsets }), accountKeyCheck],
    writerChecks: [...createWriterChecks(models), accountKeyCheck],
    kafkaCheck: {
      name: 'kafka',
      check: async () => {
        await Promise.all(topicNames.map((topic) => offsets.ends(topic)));
        return null;
      },
    },
    mongoCheck: {
      name: 'mongodb',
      check: async () => {
        await mongo.database.command({ ping: 1 });
        return null;
      },
    },
  };
}

function createLosses(
  { kafka, mongo, offsets }: Pick<Connections, 'kafka' | 'mongo' | 'offsets'>,
  prefix: string,
): ModelLosses {
  return createModelLosses({ kafka, offsets, prefix, documents: createDocumentsBefore(mongo.database) });
}

function createProgress(models: ReadModels): Readonly<Record<ModelName, ModelProgress>> {
  return {
    events: createModelProgress(models.events.awaited),
    webhooks: createModelProgress(models.webhooks.awaited),
    accounts: createModelProgress(models.accounts.awaited),
    accountKeys: createModelProgress(models.accountKeys.awaited),
    attempts: createModelProgress(models.attempts.awaited),
    audit: createModelProgress(models.audit.awaited),
    stats: createModelProgress(models.stats.awaited),
    replays: createModelProgress(models.replays.awaited),
    eventTypes: createModelProgress(models.eventTypes.awaited),
    tenants: createModelProgress(models.tenants.awaited),
  };
}
