import { setTimeout as pause } from 'node:timers/promises';

import type { Admin } from 'kafkajs';

import { initialConfiguration, isDeadLetterTopic, type TopicDefinition } from '../topics/names.js';
import {
  applyConfiguration,
  checkApplied,
  configurationDifferences,
  type TopicDifference,
} from './topicDifferences.js';

/** A topic that is there already, with another number of partitions than the settings say. */
class PartitionCountError extends Error {
  override readonly name = 'PartitionCountError';
}

/** The cluster has fewer brokers than the settings ask for copies. */
class ReplicationError extends Error {
  override readonly name = 'ReplicationError';
}

/** What is to be done that the topics are as the settings say. */
export interface TopicPlan {
  readonly missing: readonly TopicDefinition[];
  /** What follows a setting that may change, and is set where the plan is carried out. */
  readonly changes: readonly TopicDifference[];
  /** What nobody but an operator can judge, and the service goes on with. */
  readonly warnings: readonly TopicDifference[];
}

/**
 * Compares the topics that are there with those that there ought to be. It changes nothing.
 * @throws PartitionCountError where a topic has another number of partitions: it is set once, since keys would move
 * @throws ReplicationError where topics are missing that the cluster has too few brokers for
 */
export async function planTopics(admin: Admin, definitions: readonly TopicDefinition[]): Promise<TopicPlan> {
  const existing = new Set(await admin.listTopics());
  const known = definitions.filter(({ topic }) => existing.has(topic));
  const missing = definitions.filter(({ topic }) => !existing.has(topic));
  const fewerCopies = await checkPlacement(admin, known);
  if (missing.length > 0) {
    await checkBrokers(admin, Math.max(...missing.map(({ replication }) => replication)));
  }
  const differences = await configurationDifferences(admin, known);
  const mayChange = ({ topic, property }: TopicDifference) =>
    known.some((definition) => definition.topic === topic && definition.changing.includes(property));
  return {
    missing,
    changes: differences.filter(mayChange),
    warnings: [...fewerCopies, ...differences.filter((difference) => !mayChange(difference))],
  };
}

/** Carries a plan out. To do it twice changes nothing more, also where another process does the same. */
export async function carryOut(admin: Admin, { missing, changes }: TopicPlan): Promise<void> {
  if (missing.length > 0) {
    await admin.createTopics({
      // kafkajs would give up where the broker that it asks has not heard of the new topics yet.
      waitForLeaders: false,
      topics: missing.map(({ topic, partitions, replication, configuration }) => ({
        topic,
        numPartitions: partitions,
        replicationFactor: replication,
        configEntries: Object.entries({ ...initialConfiguration, ...configuration }).map(([name, value]) => ({
          name,
          value,
        })),
      })),
    });
    const topics = missing.map(({ topic }) => topic);
    await untilAnswered(() => admin.fetchTopicMetadata({ topics }), leadersDeadlineMs);
  }
  await applyConfiguration(admin, changes);
  // The brokers tell each other afterwards.
  await untilAnswered(() => checkApplied(admin, changes), leadersDeadlineMs);
}

/** @returns the topics with fewer copies than the settings say: it is no reason to stop, and nothing that is mended in passing */
async function checkPlacement(
  admin: Admin,
  definitions: readonly TopicDefinition[],
): Promise<readonly TopicDifference[]> {
  if (definitions.length === 0) {
    return [];
  }
  const { topics } = await admin.fetchTopicMetadata({ topics: definitions.map(({ topic }) => topic) });
  const found = new Map(topics.map(({ name, partitions }) => [name, partitions]));
  for (const { topic, partitions } of definitions) {
    const count = found.get(topic)?.length ?? 0;
    if (count !== partitions) {
      throw new PartitionCountError(partitionsMessage(topic, count, partitions));
    }
  }
  return definitions.flatMap(({ topic, replication }) => {
    const copies = Math.min(...(found.get(topic) ?? []).map(({ replicas }) => replicas.length));
    return copies < replication
      ? [{ topic, property: 'replication.factor', found: String(copies), wanted: String(replication) }]
      : [];
  });
}

/** The dead letters are always in one partition, whatever the settings say. */
function partitionsMessage(topic: string, found: number, wanted: number): string {
  return isDeadLetterTopic(topic)
    ? `The topic ${topic} has ${found} partitions and must have ${wanted}: delete it, and migrate again.`
    : `The topic ${topic} has ${found} partitions, POSTRIDER_PARTITIONS says ${wanted}. ` +
        `It is set once and never changed: set it to ${found}.`;
}

async function checkBrokers(admin: Admin, replication: number): Promise<void> {
  const { brokers } = await admin.describeCluster();
  if (brokers.length < replication) {
    throw new ReplicationError(
      `POSTRIDER_REPLICATION says ${replication} copies of each record, and the cluster has ${brokers.length} ` +
        `broker${brokers.length === 1 ? '' : 's'}: add brokers, or set it to ${brokers.length}.`,
    );
  }
}

const leadersDeadlineMs = 20_000;
const groupsDeadlineMs = 20_000;
const pollMs = 100;

/**
 * Waits until consumer groups can be joined. A fresh broker makes its topic of committed offsets only when it is asked
 * for one, and one that has started again reads that topic first.
 */
export async function waitForGroups(admin: Admin, groupId = 'postrider-migrate'): Promise<void> {
  await untilAnswered(() => admin.fetchOffsets({ groupId }), groupsDeadlineMs);
}

/** @throws the last failure where the question is not answered in time */
async function untilAnswered(ask: () => Promise<unknown>, limitMs: number): Promise<void> {
  const deadline = Date.now() + limitMs;
  for (;;) {
    try {
      await ask();
      return;
    } catch (error) {
      if (Date.now() > deadline) {
        throw error;
      }
      await pause(pollMs);
    }
  }
}
