import { setTimeout as pause } from 'node:timers/promises';

import type { Consumer, EachBatchHandler, Kafka, PartitionAssigner } from 'kafkajs';

import type { TopicName } from '../topics/names.js';

export interface GroupConsumerSettings {
  readonly groupId: string;
  readonly topics: readonly TopicName[];
  readonly prefix: string;
  /**
   * How long the broker delays the answer to a fetch without records, in milliseconds. A resumed partition may wait for
   * the whole delay.
   */
  readonly maximumWaitMs: number;
  /**
   * The number of bytes for which the broker delays its answer to a fetch; 1 by default. A number above the maximum of
   * a partition would delay each fetch of a backlog in one partition.
   */
  readonly minimumBytes?: number;
  /**
   * The shortest duration of a fetch that returned few records, in milliseconds. Records that arrive before the end of
   * the shortest duration are in the next fetch. The first record after an idle time is not delayed. The default
   * duration is 0.
   */
  readonly restMs?: number;
  /** The maximum number of bytes of a partition in one fetch; 512 KiB by default. */
  readonly maximumBytesPerPartition?: number;
  /**
   * The maximum number of bytes of all partitions in one fetch; 2 MiB by default. A larger first batch is still
   * returned. The maximum size of a fetch limits how long its decoding blocks the process. Decoded records take three
   * times the memory of their bytes, and each consumer holds one fetch during a backlog.
   */
  readonly maximumBytesPerFetch?: number;
  /**
   * Whether earlier versions of this program co-partition the group. The setting matters only while members of both
   * versions exist.
   */
  readonly coPartitioned?: boolean;
  /**
   * The session timeout in milliseconds; 7 s by default. If a killed process is not evicted, its partitions stay
   * unassigned for the session timeout.
   */
  readonly sessionTimeoutMs?: number;
  /** The time in milliseconds after which the consumer ends if the brokers do not know its topic; 30 s by default. */
  readonly missingTopicLimitMs?: number;
}

/**
 * The default session timeout, in milliseconds. Brokers allow 6 s or more by default. With the common default of 30 s,
 * deliveries would wait 30 s after a crash.
 */
const defaultSessionTimeoutMs = 7000;
/**
 * The shortest time between two heartbeats, which kafkajs sends between fetches. Under load fetches are frequent, so a
 * member notices a rebalance within half a second. An idle member sends a heartbeat after each fetch.
 */
const heartbeatIntervalMs = 500;
/** The time in which members must rejoin during a rebalance. The slowest batch of a projection takes less time. */
const rebalanceTimeoutMs = 15_000;
const defaultMaximumBytesPerPartition = 512 * 1024;
const defaultMaximumBytesPerFetch = 2 * 1024 * 1024;

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

/**
 * Delays the next fetch after a fetch with few records. kafkajs fetches again when all batches of a fetch are taken.
 * With a backlog, fetches are full and need no delay.
 */
export function restAfterFew(read: EachBatchHandler, restMs: number): EachBatchHandler {
  return async (payload) => {
    const isRestDue = restMs > 0 && payload.batch.messages.length < manyRecords;
    await Promise.all([read(payload), isRestDue ? pause(restMs) : null]);
  };
}
