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

export interface GroupConsumerHandlers {
  /**
   * Receives the assigned partitions after each join. It receives none first, if other members may have had them since
   * the last join.
   */
  onAssignment: (assigned: readonly TopicPartition[]) => void;
  /**
   * Called before the group assigns its partitions again. It resolves when this process is ready to hand over its
   * partitions, which is the last moment to commit. The other members wait for it for a limited time.
   */
  onRebalancing: () => Promise<void>;
  /**
   * Takes a fetched part of one partition. The parts arrive in order.
   * @returns the next offset to read, or null if nothing was taken; records that were not taken are fetched again
   */
  onBatch: (partition: TopicPartition, part: FetchedPart) => Promise<number | null>;
  /** The consumer has ended permanently; called once. The process must end too, because it would stay idle. */
  onLost: (error: Error) => void;
}

export interface GroupConsumer {
  start: (handlers: GroupConsumerHandlers) => Promise<void>;
  /** Stops fetching a partition. Other partitions continue. */
  pause: (partition: TopicPartition) => void;
  resume: (partition: TopicPartition) => void;
  /** Sets the next offset to fetch from a partition. */
  seek: (position: TopicPartitionOffset) => void;
  /**
   * Commits the next offsets to read, in one try. They must be the current ones.
   * @returns false if they are not committed, for example during a rebalance or restart. The next commit then includes
   * them
   */
  commit: (positions: readonly TopicPartitionOffset[]) => Promise<boolean>;
  stop: () => Promise<void>;
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
const defaultMissingTopicLimitMs = 30_000;
/** The pause before the next restart, if a restart fails immediately. */
const restartPauseMs = 1000;
const defaultMaximumBytesPerPartition = 1024 * 1024;
const defaultMaximumBytesPerFetch = 8 * 1024 * 1024;

/** The number of records of a partition from which a fetch counts as full. */
export const manyRecords = 500;

const nothing = Promise.resolve(null);

/**
 * A member of a consumer group without automatic commits. Its fetch position advances only over taken records. It waits
 * for recovery from faults of a server, and reports any other error through `onLost`.
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

  /**
   * Between a crash and the restart kafkajs has no group and throws. Nothing is fetched then, so there is nothing to
   * pause or resume.
   */
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
          // Its partitions move to other members now. This is not awaited, because kafkajs waits for the batch from
          // which it may be called.
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
      // Without `fromBeginning`, kafkajs would skip an out-of-range offset to the end, and commit that.
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
      // The positions of an ended consumer may belong to other records.
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

/** kafkajs fetches again once all batches of a fetch are taken. A pause has no advantage while there is a backlog. */
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
    // Offsets of transaction markers and aborted records, which kafkajs does not deliver.
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
    // Without partitions, the topic may still be missing. If it was created again, all earlier positions are invalid.
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
  return new Error('a topic is missing: run "postrider migrate", which creates it', { cause });
}
