import type { Admin, Kafka } from 'kafkajs';

import { messageOf } from '../../core/errors.js';
import { withTimeout } from '../../concurrency/withTimeout.js';
import type { Logger } from '../../core/logger.js';

/** The next offsets that a group reads in one topic. `topic` is the full name of the topic. */
export interface ReadingOf {
  readonly topic: string;
  readonly next: readonly { readonly partition: number; readonly offset: number }[];
}

/**
 * Reports log truncation: records that Kafka has deleted before a group read them. The report is a log message, because
 * deleted records cannot be recovered.
 */
export interface LogTruncation {
  /**
   * Checks whether records at the committed offsets of the group were deleted. The check of committed offsets must
   * precede the join, because kafkajs overwrites out-of-range offsets.
   */
  reportUncommitted: (topics: readonly string[]) => Promise<void>;
  /** Checks whether records at the next offsets that the group reads were deleted. */
  reportSince: (reading: ReadingOf) => Promise<void>;
}

/**
 * The time for a report of log truncation, in milliseconds. If the brokers do not answer in time, the group continues
 * without the report.
 */
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
        logger.warn(details, 'Kafka has deleted records that the consumer group has not read');
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
      await withTimeout(withAdmin(work), limitMs, 'the Kafka brokers did not respond in time');
    } catch (error) {
      logger.warn(
        { group: groupId, error: messageOf(error) },
        'cannot determine whether Kafka has deleted records that the consumer group has not read',
      );
    }
  };

  return {
    reportUncommitted: (topics) =>
      reportInTime(async (admin) => {
        const committed = await admin.fetchOffsets({ groupId, topics: [...topics] });
        for (const { topic, partitions } of committed) {
          const next = partitions.map(({ partition, offset }) => ({ partition, offset: Number(offset) }));
          // A negative offset means that the group has committed none. A group without a committed offset starts with
          // the existing records.
          await report(admin, { topic, next: next.filter(({ offset }) => offset >= 0) });
        }
      }),
    reportSince: (reading) => reportInTime((admin) => report(admin, reading)),
  };
}
