import { Kafka, logLevel } from 'kafkajs';

import type { Config } from '../shared/settings/config.js';
import { connectMongo } from '../shared/store/client/client.js';
import type { Pipeline, PipelineOptions, RunningPipeline } from './pipelines/pipeline.js';

/** A pipeline that runs on its own topics and its own database. */
export interface Deployment {
  readonly pipeline: Pipeline;
  readonly options: PipelineOptions;
  readonly running: RunningPipeline;
  /** Stops the pipeline and deletes its data, because the data of many pipelines would slow the servers down. */
  readonly remove: () => Promise<void>;
}

export async function deploy(
  pipeline: Pipeline,
  options: PipelineOptions,
  webhookUrls: readonly string[],
): Promise<Deployment> {
  const running = await pipeline.start(options, webhookUrls);
  const remove = async () => {
    await running.stop();
    // A failed deletion must not lose the measurement.
    await deleteData(options.config).catch(() => undefined);
  };
  return { pipeline, options, running, remove };
}

async function deleteData({ kafka, topics, mongodb }: Config): Promise<void> {
  await Promise.all([deleteTopicsAndGroups(kafka.brokers, topics.prefix), dropDatabase(mongodb.url)]);
}

async function deleteTopicsAndGroups(brokers: readonly string[], prefix: string): Promise<void> {
  const kafka = new Kafka({ clientId: 'benchmark', brokers: [...brokers], logLevel: logLevel.NOTHING });
  const admin = kafka.admin();
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
