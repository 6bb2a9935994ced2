import { setTimeout as pause } from 'node:timers/promises';

import type { Consumer, EachBatchHandler, Kafka } from 'kafkajs';

import { messageOf } from '../../core/errors.js';
import type { Logger } from '../../core/logger.js';
import { fullTopicName, type TopicName } from '../topics/names.js';
import { createBatchReader, type BatchReader, type FetchedPart } from './batchReader.js';
import { createLogTruncation } from './logTruncation.js';
import { createGroupMembership, type GroupMembership } from './groupMembership.js';
import { isCommitted } from '../client/groupOffsets.js';
import { createMissingTopic, type MissingTopic } from './missingTopic.js';
import { createReadPositions, type ReadPositions } from './readPositions.js';
import type { TopicPartition, TopicPartitionOffset } from '../client/topicPartition.js';

export type { TopicPartition, TopicPartitionOffset } from '../client/topicPartition.js';

export interface GroupConsumerSettings {
  readonly groupId: string;
  readonly topics: readonly TopicName[];
  readonly prefix: string;
  /** How long the broker holds a fetch that finds nothing, in milliseconds: also how late a resumed partition may be. */
  readonly maximumWaitMs: number;
  /** How many bytes the broker waits for, up to that time; one by default. */
  readonly minimumBytes?: number;
  /**
   * How long a fetch that has brought few records takes at least, in milliseconds: what comes meanwhile comes with the next one. A
   * first record after a quiet time does not wait. 0 by default.
   */
  readonly restMs?: number;
  /** The most bytes of a partition in one fetch; 1 MiB by default. */
  readonly maximumBytesPerPartition?: number;
  /**
   * The most bytes of all partitions in one fetch, but for a first batch that is larger; 8 MiB by default. They are decoded
   * in one go, and nothing else of the process goes on meanwhile.
   */
  readonly maximumBytesPerFetch?: number;
  /** Whether earlier versions of this program co-partition the group: only together with one of them it makes a difference. */
  readonly coPartitioned?: boolean;
  /** How long the partitions of a killed process stand still where nobody knows its end, in milliseconds. 7 s by default. */
  readonly sessionTimeoutMs?: number;
  /** How long the brokers may not know a topic before the consumer is lost, in milliseconds. 30 s by default. */
  readonly missingTopicLimitMs?: number;
}

export interface GroupConsumerHandlers {
  /**
   * The partitions that are ours from now on, after each join of the group. None first, if other members may have had them since
   * the join before.
   */
  onAssignment: (assigned: readonly TopicPartition[]) => void;
  /**
   * The group is about to assign its partitions again. Resolves when this process is ready to hand over its own, which is the last
   * moment to commit progress. The other members wait for it, but for a bounded time.
   */
  onRebalancing: () => Promise<void>;
  /**
   * Takes what was fetched of one partition: its parts come in order.
   * @returns the offset that is to be read next, or null for none taken: what was not taken is fetched again
   */
  onBatch: (partition: TopicPartition, part: FetchedPart) => Promise<number | null>;
  /** The consumer has ended for good; called once. Its process must end too: it would sit there alive and idle. */
  onLost: (error: Error) => void;
}

export interface GroupConsumer {
  start: (handlers: GroupConsumerHandlers) => Promise<void>;
  /** Stops fetching a partition; others go on. */
  pause: (partition: TopicPartition) => void;
  resume: (partition: TopicPartition) => void;
  /** Fetches a partition from this offset on next. */
  seek: (position: TopicPartitionOffset) => void;
  /**
   * Commits the offsets that are to be read next, in one try: they must be those of this moment.
   * @returns false if they are not committed, as during a rebalance or a restart. The next commit, with the offsets of then, repairs it
   */
  commit: (positions: readonly TopicPartitionOffset[]) => Promise<boolean>;
  stop: () => Promise<void>;
}

/** The broker allows no less than 6 s by default. With the common default of 30 s, that is what users would wait for. */
const defaultSessionTimeoutMs = 7000;
/**
 * Sent between fetches, which bring the next one about while records come: so a member under load learns of a rebalance within half a
 * second. An idle one sends a heartbeat after each fetch, as it would with any interval below its fetches' wait.
 */
const heartbeatIntervalMs = 500;
/** How long a member has to come back to a rebalance: longer than the slowest batch of a projection. */
const rebalanceTimeoutMs = 15_000;
const defaultMissingTopicLimitMs = 30_000;
/** A restart that fails at once is not tried again at once. */
const restartPauseMs = 1000;
const defaultMaximumBytesPerPartition = 1024 * 1024;
const defaultMaximumBytesPerFetch = 8 * 1024 * 1024;

/** A fetch with as many records of a partition is one of many. */
export const manyRecords = 500;

const nothing = Promise.resolve(null);

/**
 * A member of a consumer group that commits nothing by itself and whose fetch position moves only over records that
 * were taken. Faults of a server are waited out; anything else is reported through `onLost`.
 */
export function createGroupConsumer(
  kafka: Kafka,
  logger: Logger,
  settings: GroupConsumerSettings,
): GroupConsumer {
  const { groupId } = settings;
  const missingTopic = createMissingTopic(settings.missingTopicLimitMs ?? defaultMissingTopicLimitMs);
  const positions = createReadPositions();
  const logTruncation = createLogTruncation(kafka, logger, groupId);
  let ended = false;
  let prepareRejoin: () => Promise<void> = () => Promise.resolve();
  const membership = createGroupMembership(
    { groupId, isCoPartitioned: settings.coPartitioned === true, logger },
    () => prepareRejoin(),
  );
  const consumer = createConsumer(kafka, settings, membership, async (error) => {
    await pause(restartPauseMs);
    return !ended && !missingTopic.isGone(error);
  });
  const fullName = (topic: TopicName) => fullTopicName(settings.prefix, topic);
  const topics = settings.topics.map(fullName);
  const shortNames = new Map(settings.topics.map((name) => [fullName(name), name]));

  /** Between a crash and the restart kafkajs has no group and throws: nothing is fetched then, and nothing is to be steered. */
  const steer = (work: () => void) => {
    try {
      work();
    } catch (error) {
      logger.debug({ group: groupId, error: messageOf(error) }, 'the consumer is not running');
    }
  };

  const seek = (position: TopicPartitionOffset) => {
    const { topic, partition, offset } = position;
    positions.seek(position);
    steer(() => {
      consumer.seek({ topic: fullName(topic), partition, offset: String(offset) });
    });
  };

  return {
    start: async (handlers) => {
      const lose = (error: Error) => {
        if (!ended) {
          ended = true;
          handlers.onLost(error);
          // Its partitions go to others now. Not awaited: kafkajs waits for the batch from which this may be called.
          void consumer.disconnect().catch(() => undefined);
        }
      };
      prepareRejoin = handlers.onRebalancing;
      const reader = createBatchReader({
        topics: shortNames,
        positions,
        logTruncation,
        take: (partition, part) => (ended ? nothing : handlers.onBatch(partition, part)),
        rewind: seek,
        isCommitted: (topic, position) => isCommitted(kafka, groupId, { ...position, topic }),
        lose,
      });
      listen(consumer, {
        handlers: { ...handlers, onLost: lose },
        shortNames,
        positions,
        membership,
        missingTopic,
        reader,
      });
      await consumer.connect();
      // Without `fromBeginning` an offset that is out of range would be skipped to the end, and committed.
      await consumer.subscribe({ topics, fromBeginning: true });
      await logTruncation.reportUncommitted(topics);
      await membership.removeEnded();
      await consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        partitionsConsumedConcurrently: 12,
        eachBatch: restAfterFew(reader.read, settings.restMs ?? 0),
      });
    },
    pause: ({ topic, partition }) => {
      steer(() => consumer.pause([{ topic: fullName(topic), partitions: [partition] }]));
    },
    resume: ({ topic, partition }) => {
      steer(() => consumer.resume([{ topic: fullName(topic), partitions: [partition] }]));
    },
    seek,
    commit: async (committed) => {
      // What a lost consumer knows of offsets may be of other records.
      if (ended) {
        return false;
      }
      try {
        await consumer.commitOffsets(
          committed.map(({ topic, partition, offset }) => ({
            topic: fullName(topic),
            partition,
            offset: String(offset),
          })),
        );
        committed.forEach(positions.commit);
        return true;
      } catch (error) {
        logger.debug({ group: groupId, error: messageOf(error) }, 'offsets were not committed');
        return false;
      }
    },
    stop: () => {
      ended = true;
      return consumer.disconnect();
    },
  };
}

function createConsumer(
  kafka: Kafka,
  settings: GroupConsumerSettings,
  { assigners }: GroupMembership,
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

/** kafkajs fetches again once all batches of a fetch are taken. Of a backlog nothing is gained by a rest. */
function restAfterFew(read: EachBatchHandler, restMs: number): EachBatchHandler {
  return async (payload) => {
    const isRestDue = restMs > 0 && payload.batch.messages.length < manyRecords;
    await Promise.all([read(payload), isRestDue ? pause(restMs) : null]);
  };
}

interface Listeners {
  readonly handlers: GroupConsumerHandlers;
  readonly shortNames: ReadonlyMap<string, TopicName>;
  readonly positions: ReadPositions;
  readonly membership: GroupMembership;
  readonly missingTopic: MissingTopic;
  readonly reader: BatchReader;
}

function listen(consumer: Consumer, listeners: Listeners): void {
  const { handlers, shortNames, positions, membership, missingTopic, reader } = listeners;
  const { GROUP_JOIN, CRASH, END_BATCH_PROCESS } = consumer.events;
  consumer.on(END_BATCH_PROCESS, ({ payload: { topic, partition, batchSize, firstOffset, lastOffset } }) => {
    // Markers of transactions and what was aborted: kafkajs keeps them for itself.
    if (batchSize === 0) {
      reader.pass(topic, partition, { begin: Number(firstOffset), end: Number(lastOffset) + 1 });
    }
  });
  consumer.on(GROUP_JOIN, ({ payload }) => {
    const assigned = Object.entries(payload.memberAssignment).flatMap(([name, partitions]) => {
      const topic = shortNames.get(name);
      return topic === undefined ? [] : partitions.map((partition) => ({ topic, partition }));
    });
    positions.join();
    const isContinuous = membership.join(assigned);
    // Without partitions the topic may still be missing. If it is a new one, nothing that was done counts for it.
    const isNewTopic = assigned.length > 0 && missingTopic.found();
    if (!isContinuous || isNewTopic) {
      handlers.onAssignment([]);
    }
    handlers.onAssignment(assigned);
  });
  consumer.on(CRASH, ({ payload: { error, restart } }) => {
    if (!restart) {
      handlers.onLost(missingTopic.isGone(error) ? topicGone(error) : error);
    }
  });
}

function topicGone(cause: Error): Error {
  return new Error('a topic is gone: run "postrider migrate", which makes the topics that are missing', {
    cause,
  });
}
