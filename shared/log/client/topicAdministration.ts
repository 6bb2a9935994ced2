import { setTimeout as pause } from 'node:timers/promises';

import type { Admin } from 'kafkajs';

import { initialConfiguration, isDeadLetterTopic, type TopicDefinition } from '../topics/names.js';
import {
  applyConfiguration,
  checkApplied,
  configurationDifferences,
  type TopicDifference,
} from './topicDifferences.js';

/** The error for an existing topic whose number of partitions differs from the settings. */
class PartitionCountError extends Error {
  override readonly name = 'PartitionCountError';
}

/** The error for a cluster with fewer brokers than the replication factor in the settings. */
class ReplicationError extends Error {
  override readonly name = 'ReplicationError';
}

/** The changes that make the topics match the settings. */
export interface TopicPlan {
  readonly missing: readonly TopicDefinition[];
  /** Differences in topic configuration that `carryOut` corrects. */
  readonly changes: readonly TopicDifference[];
  /** Differences that only an operator can judge, and in spite of which the service works. */
  readonly warnings: readonly TopicDifference[];
}

/**
 * Compares the existing topics with the settings, without changing a topic.
 * @throws PartitionCountError if a topic has another number of partitions. The number of partitions of a topic never
 *   changes, because keys would move to other partitions.
 * @throws ReplicationError if topics are missing and the cluster has too few brokers for them
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

/** Creates and changes topics according to a plan. Repeated and concurrent calls with the same plan are harmless. */
export async function carryOut(admin: Admin, { missing, changes }: TopicPlan): Promise<void> {
  if (missing.length > 0) {
    await admin.createTopics({
      // kafkajs would fail if the contacted broker does not know the new topics yet.
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
  // A broker may still return the old configuration after the change, so the new values are awaited.
  await untilAnswered(() => checkApplied(admin, changes), leadersDeadlineMs);
}

/**
 * Finds the topics with fewer replicas than the settings. The service works with fewer replicas, and only an operator
 * can add replicas.
 */
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

/**
 * The message for a wrong number of partitions. A dead-letter topic always has one partition, in spite of the settings.
 */
function partitionsMessage(topic: string, found: number, wanted: number): string {
  return isDeadLetterTopic(topic)
    ? `The topic ${topic} has ${found} partitions but must have ${wanted}. Delete the topic and ` +
        'migrate again.'
    : `The topic ${topic} has ${found} partitions, but POSTRIDER_PARTITIONS is ${wanted}. The number ` +
        `of partitions never changes. Set POSTRIDER_PARTITIONS to ${found}.`;
}

async function checkBrokers(admin: Admin, replication: number): Promise<void> {
  const { brokers } = await admin.describeCluster();
  if (brokers.length < replication) {
    throw new ReplicationError(
      `POSTRIDER_REPLICATION is ${replication}, but the Kafka cluster has only ${brokers.length} broker${brokers.length === 1 ? '' : 's'}: add brokers, or set it to ${brokers.length}.`,
    );
  }
}

const leadersDeadlineMs = 20_000;
const groupsDeadlineMs = 20_000;
const pollMs = 100;

/**
 * Waits until consumer groups can be joined. A new Kafka cluster creates its topic of committed offsets on the first
 * request. A restarted broker must read the topic of committed offsets first.
 */
export async function waitForGroups(admin: Admin, groupId = 'postrider-migrate'): Promise<void> {
  await untilAnswered(() => admin.fetchOffsets({ groupId }), groupsDeadlineMs);
}

/**
 * Repeats a request until a broker answers it.
 * @throws the last failure if no broker answers in time
 */
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
