import { randomUUID } from 'node:crypto';

import type { Consumer, ConsumerConfig, Kafka } from 'kafkajs';

import { waitForGroups } from './topicAdministration.js';

/** The part after the prefix that marks the group names of look-ups. */
const mark = 'lookup.';

/**
 * Runs `work` with a consumer that is the only member of its group, because the client cannot read a given offset in
 * another way. The group commits nothing, so Kafka forgets it.
 */
export async function withLookupConsumer<Result>(
  kafka: Kafka,
  prefix: string,
  {
    settings,
    work,
  }: { settings: Omit<ConsumerConfig, 'groupId'>; work: (consumer: Consumer) => Promise<Result> },
): Promise<Result> {
  const groupId = `${prefix}${mark}${randomUUID()}`;
  await waitForGroup(kafka, groupId);
  const consumer = kafka.consumer({ allowAutoTopicCreation: false, ...settings, groupId });
  try {
    await consumer.connect();
    return await work(consumer);
  } finally {
    await consumer.disconnect();
  }
}

export function isLookupGroup(prefix: string, groupId: string): boolean {
  return groupId.startsWith(`${prefix}${mark}`);
}

/** If the group's coordinator has just moved, kafkajs would give up after a second. */
async function waitForGroup(kafka: Kafka, groupId: string): Promise<void> {
  const admin = kafka.admin();
  try {
    await admin.connect();
    await waitForGroups(admin, groupId);
  } finally {
    await admin.disconnect();
  }
}
