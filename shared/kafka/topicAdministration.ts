import { setTimeout as pause } from 'node:timers/promises';

import type { Admin } from 'kafkajs';

import type { TopicDefinition } from '../topics/names.js';

/** A topic that is there already, with another number of partitions than the settings say. */
class PartitionCountError extends Error {
  override readonly name = 'PartitionCountError';
}

/**
 * Creates the topics that are missing and checks the others.
 * @returns the names of those created
 * @throws PartitionCountError where a topic has another number of partitions: it is set once, since keys would move
 */
export async function ensureTopics(
  admin: Admin,
  definitions: readonly TopicDefinition[],
): Promise<readonly string[]> {
  const existing = new Set(await admin.listTopics());
  const known = definitions.filter(({ topic }) => existing.has(topic));
  const missing = definitions.filter(({ topic }) => !existing.has(topic));
  await checkPartitionCounts(admin, known);
  if (missing.length > 0) {
    await admin.createTopics({
      // kafkajs would give up where the broker that it asks has not heard of the new topics yet.
      waitForLeaders: false,
      topics: missing.map(({ topic, partitions, replication, configuration }) => ({
        topic,
        numPartitions: partitions,
        replicationFactor: replication,
        configEntries: Object.entries(configuration).map(([name, value]) => ({ name, value })),
      })),
    });
    await untilAnswered(() => admin.fetchTopicMetadata({ topics: namesOf(missing) }), leadersDeadlineMs);
  }
  return namesOf(missing);
}

function namesOf(definitions: readonly TopicDefinition[]): string[] {
  return definitions.map(({ topic }) => topic);
}

async function checkPartitionCounts(admin: Admin, definitions: readonly TopicDefinition[]): Promise<void> {
  if (definitions.length === 0) {
    return;
  }
  const { topics } = await admin.fetchTopicMetadata({ topics: definitions.map(({ topic }) => topic) });
  const counts = new Map(topics.map(({ name, partitions }) => [name, partitions.length]));
  for (const { topic, partitions } of definitions) {
    const found = counts.get(topic) ?? 0;
    if (found !== partitions) {
      throw new PartitionCountError(
        `The topic ${topic} has ${found} partitions, POSTRIDER_PARTITIONS says ${partitions}. ` +
          `It is set once and never changed: set it to ${found}.`,
      );
    }
  }
}

const leadersDeadlineMs = 20_000;
const groupsDeadlineMs = 20_000;
const pollMs = 100;

/**
 * Waits until consumer groups can be joined. A fresh broker makes its topic of committed offsets only when it is asked
 * for one, and one that has started again reads that topic first.
 */
export async function waitForGroups(admin: Admin): Promise<void> {
  await untilAnswered(() => admin.fetchOffsets({ groupId: 'postrider-migrate' }), groupsDeadlineMs);
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
