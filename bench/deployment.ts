import { Kafka, logLevel } from 'kafkajs';

import type { Config } from '../shared/settings/config.js';
import { connectMongo } from '../shared/store/client/client.js';
import type { Pipeline, PipelineOptions, PipelineWebhook, RunningPipeline } from './pipelines/pipeline.js';
import type { Variant } from './scenarios/scenario.js';

/** A pipeline that runs on its own topics and its own database. */
export interface Deployment {
  readonly options: PipelineOptions;
  readonly running: RunningPipeline;
  /** Whether an earlier measurement has warmed it up. */
  readonly isWarm: boolean;
  /** To be called after a successful measurement. A shared deployment keeps running. */
  readonly release: () => Promise<void>;
  /** To be called after a failed measurement. Stops the pipeline and deletes its data. */
  readonly discard: () => Promise<void>;
}

export interface DeploymentRequest {
  readonly pipeline: Pipeline;
  readonly variant: Variant;
  readonly webhooks: readonly PipelineWebhook[];
}

export type Deploy = (request: DeploymentRequest) => Promise<Deployment>;

/** Deploys a new pipeline for each measurement, and removes it after the measurement. */
export function createDeploy(optionsOf: (pipeline: Pipeline, variant: Variant) => PipelineOptions): Deploy {
  return async ({ pipeline, variant, webhooks }) => {
    const options = optionsOf(pipeline, variant);
    const running = await pipeline.start(options, webhooks);
    const discard = async () => {
      await running.stop();
      // A failed deletion must not lose the measurement.
      await deletePipelineData(options.config).catch(() => undefined);
    };
    return { options, running, isWarm: false, release: discard, discard };
  };
}

/**
 * Measurements with equal requests share a deployment, one after the other: to start and to stop a pipeline takes longer than a quick
 * measurement. The releasers of the run end it.
 */
export function shareDeployments(deploy: Deploy): Deploy {
  const deployments = new Map<string, Deployment>();
  return async (request) => {
    const { pipeline, variant, webhooks } = request;
    const name = JSON.stringify([pipeline.name, variant, webhooks]);
    const existing = deployments.get(name);
    if (existing !== undefined) {
      return { ...existing, isWarm: true };
    }
    const { discard, ...created } = await deploy(request);
    const deployment: Deployment = {
      ...created,
      release: () => Promise.resolve(),
      discard: () => {
        deployments.delete(name);
        return discard();
      },
    };
    deployments.set(name, deployment);
    return deployment;
  };
}

/**
 * Deletes the topics, groups and database of a pipeline that has stopped. The data of many pipelines would slow the servers down.
 */
async function deletePipelineData({ kafka, topics, mongodb }: Config): Promise<void> {
  await Promise.all([deleteTopicsAndGroups(kafka.brokers, topics.prefix), dropDatabase(mongodb.url)]);
}

async function deleteTopicsAndGroups(brokers: readonly string[], prefix: string): Promise<void> {
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
