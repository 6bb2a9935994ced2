import { randomUUID } from 'node:crypto';

import type { Consumer, ConsumerConfig, Kafka } from 'kafkajs';

import { waitForGroups } from './topicAdministration.js';

/** The text after the prefix in the group id of a look-up consumer. */
const mark = 'lookup.';

/**
 * Runs `work` with a consumer that is the only member of its group, because kafkajs can read a given offset only with a
 * consumer. Kafka deletes a look-up group afterwards, because the group has committed no offset.
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

/** Waits until the group's coordinator answers. kafkajs stops after a second if the coordinator has just moved. */
async function waitForGroup(kafka: Kafka, groupId: string): Promise<void> {
  const admin = kafka.admin();
  try {
    await admin.connect();
    await waitForGroups(admin, groupId);
  } finally {
    await admin.disconnect();
  }
}
