import type { Consumer, EachBatchPayload, Kafka } from 'kafkajs';

import { messageOf } from '../errors.js';
import type { Logger } from '../logger.js';
import { fullTopicName, topicNames, type TopicName } from '../topics/names.js';
import type { RawRecord } from '../topics/record.js';

export interface TopicPartition {
  readonly topic: TopicName;
  readonly partition: number;
}

export interface TopicPartitionOffset extends TopicPartition {
  readonly offset: number;
}

export interface GroupConsumerSettings {
  readonly groupId: string;
  readonly topics: readonly TopicName[];
  readonly prefix: string;
  /** How long the broker holds a fetch that finds nothing, in milliseconds: also how late a resumed partition may be. */
  readonly maximumWaitMs: number;
}

export interface GroupConsumerHandlers {
  /** The partitions that are ours from now on, after each join of the group. */
  onAssignment: (assigned: readonly TopicPartition[]) => void;
  /** The group is about to hand partitions out anew: the last moment at which progress can be committed. */
  onRebalancing: () => void;
  /**
   * Takes fetched records of one partition, in order.
   * @returns the offset of the last record taken, or null for none: what was not taken is fetched again
   */
  onBatch: (partition: TopicPartition, records: readonly RawRecord[]) => Promise<number | null>;
  /** The consumer has ended for good. Its process must end too: it would sit there alive and idle. */
  onLost: (error: Error) => void;
}

export interface GroupConsumer {
  start: (handlers: GroupConsumerHandlers) => Promise<void>;
  /** Stops fetching a partition; others go on. */
  pause: (partition: TopicPartition) => void;
  resume: (partition: TopicPartition) => void;
  /** Fetches a partition from this offset on next. */
  seek: (position: TopicPartitionOffset) => void;
  /** Commits the offsets that are to be read next. A refusal (a rebalance under way) is left to the next commit. */
  commit: (positions: readonly TopicPartitionOffset[]) => Promise<boolean>;
  stop: () => Promise<void>;
}

/**
 * A killed process's partitions stand still for this long (the broker allows no less than 6 s): with the common default of 30 s, that
 * is what users would wait for.
 */
const sessionTimeoutMs = 7000;
const heartbeatIntervalMs = 1500;
/** How long a member has to come back to a rebalance: longer than the slowest batch of a projection. */
const rebalanceTimeoutMs = 15_000;
const maximumBytesPerPartition = 1024 * 1024;
const maximumBytesPerFetch = 8 * 1024 * 1024;

/**
 * A member of a consumer group that commits nothing by itself and whose fetch position moves only over records that
 * were taken. Faults of a server are waited out; anything else is reported through `onLost`.
 */
export function createGroupConsumer(
  kafka: Kafka,
  logger: Logger,
  settings: GroupConsumerSettings,
): GroupConsumer {
  const consumer = kafka.consumer({
    groupId: settings.groupId,
    sessionTimeout: sessionTimeoutMs,
    heartbeatInterval: heartbeatIntervalMs,
    rebalanceTimeout: rebalanceTimeoutMs,
    maxWaitTimeInMs: settings.maximumWaitMs,
    maxBytesPerPartition: maximumBytesPerPartition,
    maxBytes: maximumBytesPerFetch,
    allowAutoTopicCreation: false,
    retry: { initialRetryTime: 200, maxRetryTime: 2000, retries: 5 },
  });
  const fullName = (topic: TopicName) => fullTopicName(settings.prefix, topic);
  const shortNames = new Map(topicNames.map((name) => [fullName(name), name]));

  return {
    start: async (handlers) => {
      listen(consumer, handlers, shortNames);
      await consumer.connect();
      // Without `fromBeginning` an offset that is out of range would be skipped to the end, and committed.
      await consumer.subscribe({ topics: settings.topics.map(fullName), fromBeginning: true });
      await consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        partitionsConsumedConcurrently: 12,
        eachBatch: (payload) => takeBatch(payload, shortNames, handlers),
      });
    },
    pause: ({ topic, partition }) => {
      consumer.pause([{ topic: fullName(topic), partitions: [partition] }]);
    },
    resume: ({ topic, partition }) => {
      consumer.resume([{ topic: fullName(topic), partitions: [partition] }]);
    },
    seek: ({ topic, partition, offset }) => {
      consumer.seek({ topic: fullName(topic), partition, offset: String(offset) });
    },
    commit: async (positions) => {
      try {
        await consumer.commitOffsets(
          positions.map(({ topic, partition, offset }) => ({
            topic: fullName(topic),
            partition,
            offset: String(offset),
          })),
        );
        return true;
      } catch (error) {
        logger.debug({ group: settings.groupId, error: messageOf(error) }, 'offsets were not committed');
        return false;
      }
    },
    stop: () => consumer.disconnect(),
  };
}

function listen(
  consumer: Consumer,
  handlers: GroupConsumerHandlers,
  shortNames: ReadonlyMap<string, TopicName>,
): void {
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    handlers.onAssignment(
      Object.entries(payload.memberAssignment).flatMap(([name, partitions]) => {
        const topic = shortNames.get(name);
        return topic === undefined ? [] : partitions.map((partition) => ({ topic, partition }));
      }),
    );
  });
  consumer.on(consumer.events.REBALANCING, () => {
    handlers.onRebalancing();
  });
  consumer.on(consumer.events.CRASH, ({ payload }) => {
    if (!payload.restart) {
      handlers.onLost(payload.error);
    }
  });
}

async function takeBatch(
  payload: EachBatchPayload,
  shortNames: ReadonlyMap<string, TopicName>,
  handlers: GroupConsumerHandlers,
): Promise<void> {
  const { batch } = payload;
  const topic = shortNames.get(batch.topic);
  // A batch that was fetched before a seek belongs to the old position.
  if (topic === undefined || !payload.isRunning() || payload.isStale()) {
    return;
  }
  const partition = { topic, partition: batch.partition };
  const records = batch.messages.map(({ key, value, headers, offset, timestamp }): RawRecord => ({
    topic,
    partition: batch.partition,
    offset: Number(offset),
    timestamp: Number(timestamp),
    key,
    value,
    headers: headers ?? {},
  }));
  const lastTaken = await handlers.onBatch(partition, records);
  if (lastTaken !== null) {
    payload.resolveOffset(String(lastTaken));
  }
}
