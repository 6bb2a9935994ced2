import type { Admin, Kafka } from 'kafkajs';

import { messageOf } from '../../core/errors.js';
import { withTimeout } from '../../concurrency/withTimeout.js';
import type { Logger } from '../../core/logger.js';

/** Offsets that a group would read next in one topic, by full name. */
export interface ReadingOf {
  readonly topic: string;
  readonly next: readonly { readonly partition: number; readonly offset: number }[];
}

/** Reports records that the log has deleted before a group has read them: there is nothing to do but to know of it. */
export interface LogTruncation {
  /** Checks what the group has committed. To be called before joining: kafkajs overwrites offsets that are out of range. */
  reportUncommitted: (topics: readonly string[]) => Promise<void>;
  /** Checks where reading was expected to go on. */
  reportSince: (reading: ReadingOf) => Promise<void>;
}

/** It is only a report: where the brokers do not answer in time, the group goes on without. */
const limitMs = 3000;

export function createLogTruncation(kafka: Kafka, logger: Logger, groupId: string): LogTruncation {
  const report = async (admin: Admin, { topic, next }: ReadingOf) => {
    const offsets = await admin.fetchTopicOffsets(topic);
    const beginnings = new Map(offsets.map(({ partition, low }) => [partition, Number(low)]));
    for (const { partition, offset } of next) {
      const beginning = beginnings.get(partition) ?? 0;
      if (beginning > offset) {
        const records = beginning - offset;
        const details = { group: groupId, topic, partition, records, from: offset };
        logger.warn(details, 'the log has deleted records that the group has not read');
      }
    }
  };

  const withAdmin = async (work: (admin: Admin) => Promise<void>) => {
    const admin = kafka.admin();
    try {
      await admin.connect();
      await work(admin);
    } finally {
      await admin.disconnect();
    }
  };

  const reportInTime = async (work: (admin: Admin) => Promise<void>) => {
    try {
      await withTimeout(withAdmin(work), limitMs, 'the brokers did not answer in time');
    } catch (error) {
      logger.warn(
        { group: groupId, error: messageOf(error) },
        'whether the log has deleted unread records is not known',
      );
    }
  };

  return {
    reportUncommitted: (topics) =>
      reportInTime(async (admin) => {
        const committed = await admin.fetchOffsets({ groupId, topics: [...topics] });
        for (const { topic, partitions } of committed) {
          const next = partitions.map(({ partition, offset }) => ({ partition, offset: Number(offset) }));
          // A negative offset stands for none: the group begins with what is there.
          await report(admin, { topic, next: next.filter(({ offset }) => offset >= 0) });
        }
      }),
    reportSince: (reading) => reportInTime((admin) => report(admin, reading)),
  };
}
