import { setTimeout as pause } from 'node:timers/promises';

import type { Consumer, EachBatchHandler, Kafka, PartitionAssigner } from 'kafkajs';

import type { TopicName } from '../topics/names.js';

export interface GroupConsumerSettings {
  readonly groupId: string;
  readonly topics: readonly TopicName[];
  readonly prefix: string;
  /** How long the broker holds a fetch without records, in milliseconds. A resumed partition may wait as long. */
  readonly maximumWaitMs: number;
  /** The number of bytes that the broker waits for within that time; one by default. */
  readonly minimumBytes?: number;
  /**
   * The shortest duration of a fetch that returned few records, in milliseconds. Records that arrive meanwhile are in
   * the next fetch. The first record after an idle time does not wait. 0 by default.
   */
  readonly restMs?: number;
  /** The largest number of bytes of a partition in one fetch; 1 MiB by default. */
  readonly maximumBytesPerPartition?: number;
  /**
   * The largest number of bytes of all partitions in one fetch, unless the first batch is larger; 8 MiB by default. A
   * fetch is decoded in one step, which blocks the process.
   */
  readonly maximumBytesPerFetch?: number;
  /**
   * Whether earlier versions of this program co-partition the group. This matters only while both versions are members.
   */
  readonly coPartitioned?: boolean;
  /**
   * How long the partitions of a killed process stay unassigned if its end is not detected, in milliseconds. 7 s by
   * default.
   */
  readonly sessionTimeoutMs?: number;
  /** How long the brokers may not know a topic before the consumer ends, in milliseconds. 30 s by default. */
  readonly missingTopicLimitMs?: number;
}

/** The broker allows 6 s or more by default. With the common default of 30 s, users would wait that long. */
const defaultSessionTimeoutMs = 7000;
/**
 * Heartbeats are sent between fetches. Under load fetches are frequent, so a member notices a rebalance within half a
 * second. An idle member sends one after each fetch, whatever the interval is.
 */
const heartbeatIntervalMs = 500;
/** The time in which members must rejoin during a rebalance. It is longer than the slowest batch of a projection. */
const rebalanceTimeoutMs = 15_000;
const defaultMaximumBytesPerPartition = 1024 * 1024;
const defaultMaximumBytesPerFetch = 8 * 1024 * 1024;

/** The number of records of a partition from which a fetch counts as full. */
export const manyRecords = 500;

/** Creates a consumer of kafkajs that neither commits nor creates topics automatically. */
export function createKafkajsConsumer(
  kafka: Kafka,
  settings: GroupConsumerSettings,
  assigners: PartitionAssigner[],
  restartOnFailure: (error: Error) => Promise<boolean>,
): Consumer {
  return kafka.consumer({
    groupId: settings.groupId,
    sessionTimeout: settings.sessionTimeoutMs ?? defaultSessionTimeoutMs,
    heartbeatInterval: heartbeatIntervalMs,
    rebalanceTimeout: rebalanceTimeoutMs,
    maxWaitTimeInMs: settings.maximumWaitMs,
    minBytes: settings.minimumBytes ?? 1,
    maxBytesPerPartition: settings.maximumBytesPerPartition ?? defaultMaximumBytesPerPartition,
    maxBytes: settings.maximumBytesPerFetch ?? defaultMaximumBytesPerFetch,
    partitionAssigners: assigners,
    allowAutoTopicCreation: false,
    retry: { initialRetryTime: 200, maxRetryTime: 2000, retries: 5, restartOnFailure },
  });
}

/** kafkajs fetches again once all batches of a fetch are taken. A pause has no advantage while there is a backlog. */
export function restAfterFew(read: EachBatchHandler, restMs: number): EachBatchHandler {
  return async (payload) => {
    const isRestDue = restMs > 0 && payload.batch.messages.length < manyRecords;
    await Promise.all([read(payload), isRestDue ? pause(restMs) : null]);
  };
}
