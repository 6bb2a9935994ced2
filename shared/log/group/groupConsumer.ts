import { setTimeout as pause } from 'node:timers/promises';

import type { Consumer, Kafka } from 'kafkajs';

import { messageOf } from '../../core/errors.js';
import type { Logger } from '../../core/logger.js';
import { isCommitted } from '../client/groupOffsets.js';
import type { TopicPartition, TopicPartitionOffset } from '../client/topicPartition.js';
import { fullTopicName, type TopicName } from '../topics/names.js';
import type { Departure } from '../kafkajs-internals/membership.js';
import { createBatchReader, type BatchReader, type FetchedPart } from './batchReader.js';
import { createGroupMembership, type GroupMembership } from './groupMembership.js';
import { createKafkajsConsumer, restAfterFew, type GroupConsumerSettings } from './kafkajsConsumer.js';
import { createLogTruncation } from './logTruncation.js';
import { createReadPositions, type ReadPositions } from './readPositions.js';

export interface GroupConsumerHandlers {
  /**
   * Receives the assigned partitions after each join. If other members may have had these partitions since the last
   * join, a call with no partitions comes first: at once if the group has removed this member, or else after the join.
   */
  onAssignment: (assigned: readonly TopicPartition[]) => void;
  /**
   * Called before the group assigns its partitions again. The returned promise resolves when this process is ready to
   * hand over its partitions. This process can commit offsets until the promise resolves. The other members of the
   * group wait for the promise for a limited time.
   */
  onRebalancing: () => Promise<void>;
  /**
   * Takes a fetched part of one partition. The parts of a partition arrive in order.
   * @returns the next offset to read, or null if nothing was taken; records that were not taken are fetched again
   */
  onBatch: (partition: TopicPartition, part: FetchedPart) => Promise<number | null>;
  /**
   * Called once, when the consumer has ended permanently. The process must end too, because it no longer consumes
   * records.
   */
  onLost: (error: Error) => void;
}

/** The next offset to read, with a text that Kafka stores with the offset. */
export interface CommittedPosition extends TopicPartitionOffset {
  readonly metadata?: string;
}

export interface GroupConsumer {
  start: (handlers: GroupConsumerHandlers) => Promise<void>;
  /** Stops fetching a partition. The consumer still fetches its other partitions. */
  pause: (partition: TopicPartition) => void;
  resume: (partition: TopicPartition) => void;
  /** Sets the next offset to fetch from a partition. */
  seek: (position: TopicPartitionOffset) => void;
  /**
   * Commits the next offsets to read, without retries. The offsets must be the current positions.
   * @returns false if the offsets are not committed, for example during a rebalance or restart. After false, the caller
   *   includes the offsets in its next commit
   */
  commit: (positions: readonly CommittedPosition[]) => Promise<boolean>;
  stop: () => Promise<void>;
}

const defaultMissingTopicLimitMs = 30_000;
/** The pause before the next restart of the consumer, if a restart fails immediately. */
const restartPauseMs = 1000;

const nothing = Promise.resolve(null);

/**
 * A member of a consumer group without automatic commits. The consumer's fetch position advances only over taken
 * records. The consumer waits until faults of a server are over, and reports any other error with `onLost`.
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
  let departure: Departure = { prepare: () => Promise.resolve(), onRemoved: () => undefined };
  const membership = createGroupMembership(
    { groupId, isCoPartitioned: settings.coPartitioned === true, logger },
    { prepare: () => departure.prepare(), onRemoved: () => departure.onRemoved() },
  );
  const consumer = createKafkajsConsumer(kafka, settings, membership.assigners, async (error) => {
    await pause(restartPauseMs);
    return !ended && !missingTopic.isGone(error);
  });
  const fullName = (topic: TopicName) => fullTopicName(settings.prefix, topic);
  const topics = settings.topics.map(fullName);
  const shortNames = new Map(settings.topics.map((name) => [fullName(name), name]));

  /**
   * Pauses, resumes or seeks. Between a crash and a restart of its consumer, kafkajs throws because it has no group.
   * This error of kafkajs is ignored, because a consumer without a group does not fetch.
   */
  const steer = (work: () => void) => {
    try {
      work();
    } catch (error) {
      logger.debug({ group: groupId, error: messageOf(error) }, 'the consumer of the group is not running');
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
          // Disconnecting moves the consumer's partitions to other members. Waiting for `disconnect` could block
          // forever, because kafkajs waits for the batch that called `lose`.
          void consumer.disconnect().catch(() => undefined);
        }
      };
      departure = {
        prepare: handlers.onRebalancing,
        onRemoved: () => {
          // Without positions, a part that is still being taken moves no position of the next assignment.
          positions.join();
          handlers.onAssignment([]);
        },
      };
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
      // Without `fromBeginning`, kafkajs would replace an out-of-range offset by the end offset, and commit the end
      // offset.
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
      // The offsets of an ended consumer are not committed, because the topic's log may have been replaced.
      if (ended) {
        return false;
      }
      try {
        await consumer.commitOffsets(
          committed.map(({ topic, partition, offset, metadata = '' }) => ({
            topic: fullName(topic),
            partition,
            metadata,
            offset: String(offset),
          })),
        );
        committed.forEach(positions.commit);
        return true;
      } catch (error) {
        logger.debug(
          { group: groupId, error: messageOf(error) },
          'offsets of the consumer group were not committed',
        );
        return false;
      }
    },
    stop: () => {
      ended = true;
      return consumer.disconnect();
    },
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
    // A batch of size 0 contains only transaction markers and aborted records, which kafkajs does not deliver.
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
    // If no partition is assigned, the topic may still be missing. If the topic was created again, all earlier
    // positions are invalid.
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
  return new Error('a topic is missing in Kafka: run "postrider migrate" to create missing topics', {
    cause,
  });
}

/** Distinguishes a deleted topic from a topic that the brokers do not know yet. */
interface MissingTopic {
  /** Returns whether an error that interrupts the consumer shows that a topic was deleted. */
  isGone: (error: Error) => boolean;
  /**
   * Notes that all topics of the consumer exist.
   * @returns whether a topic was missing before. If so, the existing topic may be a new topic with the same name
   */
  found: () => boolean;
}

/** @param limitMs the time in milliseconds after which a topic that the brokers do not know counts as deleted */
function createMissingTopic(limitMs: number): MissingTopic {
  let missingSince: number | null = null;
  return {
    isGone: (error) => {
      if (!saysUnknownTopic(error)) {
        return false;
      }
      missingSince ??= performance.now();
      return performance.now() - missingSince >= limitMs;
    },
    found: () => {
      const wasMissing = missingSince !== null;
      missingSince = null;
      return wasMissing;
    },
  };
}

/**
 * Whether an error of kafkajs says that a topic is unknown. kafkajs wraps a broker's error once for each retry loop.
 * The check is by `type`, because ESM cannot import the error classes of kafkajs.
 */
function saysUnknownTopic(error: Error): boolean {
  return error.cause instanceof Error
    ? saysUnknownTopic(error.cause)
    : 'type' in error && error.type === 'UNKNOWN_TOPIC_OR_PARTITION';
}
