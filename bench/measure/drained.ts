import { setTimeout as pause } from 'node:timers/promises';

import { Kafka, logLevel, type Admin } from 'kafkajs';

const pollMs = 100;
const deadlineMs = 120_000;

/**
 * Waits until every consumer group of a pipeline has committed all that its topics hold: then all of its work is done.
 * @param prefix of the names of its groups
 */
export async function untilDrained(brokers: readonly string[], prefix: string): Promise<void> {
  const kafka = new Kafka({ clientId: 'benchmark', brokers: [...brokers], logLevel: logLevel.ERROR });
  const admin = kafka.admin();
  await admin.connect();
  try {
    const deadline = performance.now() + deadlineMs;
    while (!(await isDrained(admin, prefix))) {
      if (performance.now() > deadline) {
        throw new Error(`The consumers of ${prefix} have not read all records after ${deadlineMs / 1000} s`);
      }
      await pause(pollMs);
    }
  } finally {
    await admin.disconnect();
  }
}

async function isDrained(admin: Admin, prefix: string): Promise<boolean> {
  const { groups } = await admin.listGroups();
  const ours = groups.map(({ groupId }) => groupId).filter((groupId) => groupId.startsWith(prefix));
  const drained = await Promise.all(ours.map((groupId) => groupIsDrained(admin, groupId)));
  return drained.every(Boolean);
}

async function groupIsDrained(admin: Admin, groupId: string): Promise<boolean> {
  for (const { topic, partitions } of await admin.fetchOffsets({ groupId })) {
    const ends = new Map(
      (await admin.fetchTopicOffsets(topic)).map(({ partition, high }) => [partition, Number(high)]),
    );
    if (partitions.some(({ partition, offset }) => Number(offset) < (ends.get(partition) ?? 0))) {
      return false;
    }
  }
  return true;
}
