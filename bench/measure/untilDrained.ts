import { setTimeout as pause } from 'node:timers/promises';

import { Kafka, logLevel, type Admin } from 'kafkajs';

const pollMs = 100;
const progressTimeoutMs = 120_000;

/**
 * Waits until every consumer group of a pipeline has committed the end of its topics: then all of its work is done.
 * @param prefix of the names of its groups
 * @throws Error with the number of records that are left, if it does not fall for two minutes
 */
export async function untilDrained(brokers: readonly string[], prefix: string): Promise<void> {
  const kafka = new Kafka({ clientId: 'benchmark', brokers: [...brokers], logLevel: logLevel.ERROR });
  const admin = kafka.admin();
  await admin.connect();
  try {
    let fewest = Infinity;
    let lastProgress = performance.now();
    for (let left = await recordsLeft(admin, prefix); left > 0; left = await recordsLeft(admin, prefix)) {
      lastProgress = left < fewest ? performance.now() : lastProgress;
      fewest = Math.min(fewest, left);
      if (performance.now() - lastProgress > progressTimeoutMs) {
        throw new Error(
          `The consumers of ${prefix} have left ${left} records for ${progressTimeoutMs / 1000} s`,
        );
      }
      await pause(pollMs);
    }
  } finally {
    await admin.disconnect();
  }
}

async function recordsLeft(admin: Admin, prefix: string): Promise<number> {
  const { groups } = await admin.listGroups();
  const ours = groups.map(({ groupId }) => groupId).filter((groupId) => groupId.startsWith(prefix));
  return sum(await Promise.all(ours.map((groupId) => recordsLeftTo(admin, groupId))));
}

async function recordsLeftTo(admin: Admin, groupId: string): Promise<number> {
  const subscriptions = await admin.fetchOffsets({ groupId });
  const left = subscriptions.map(async ({ topic, partitions }) => {
    const ends = await admin.fetchTopicOffsets(topic);
    const endOf = new Map(ends.map(({ partition, high }) => [partition, Number(high)]));
    return sum(
      partitions.map(({ partition, offset }) => Math.max(0, (endOf.get(partition) ?? 0) - Number(offset))),
    );
  });
  return sum(await Promise.all(left));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
