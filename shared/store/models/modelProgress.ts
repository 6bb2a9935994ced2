import { setTimeout as pause } from 'node:timers/promises';

import { singleFlight } from '../../concurrency/singleFlight.js';
import { withTimeout } from '../../concurrency/withTimeout.js';
import { UnavailableError } from '../../core/errors.js';
import type { EndOffsets, TopicOffsets } from '../../log/client/topicOffsets.js';
import type { RecordPosition } from '../../log/encoding/record.js';
import type { TopicName } from '../../log/topics/names.js';
import type { MetaDocument } from './generations.js';

/** The awaited position in each partition: the offset after the last awaited record. */
export type AwaitedOffsets = ReadonlyMap<number, number>;

export interface ModelProgress {
  /**
   * Waits until the read model is complete and has read a topic up to the given offsets.
   * @returns false if the read model has not reached the offsets after `timeoutMs`
   */
  reached: (topic: TopicName, offsets: AwaitedOffsets, timeoutMs: number) => Promise<boolean>;
}

const pollIntervalMs = 5;

/**
 * Creates waits for the positions of one read model. All waits share each read of the meta documents, because after a
 * crash a thousand events wait at once. A wait may use a read that began before the wait. Positions never decrease, so
 * a positive answer is right. After a negative answer, the wait reads the meta documents again.
 * @param readMetas reads the meta documents of every generation that a wait must include at the end of the read
 */
export function createModelProgress(readMetas: () => Promise<readonly MetaDocument[]>): ModelProgress {
  // An error is ignored until the caller's timeout, because the read model may not exist yet or be away for a moment.
  const sharedRead = singleFlight(() => readMetas().catch(() => null));
  const nextPoll = singleFlight(() => pause(pollIntervalMs).then(sharedRead));

  return {
    reached: async (topic, offsets, timeoutMs) => {
      const deadline = performance.now() + timeoutMs;
      let metas = await sharedRead();
      while (metas?.every((meta) => hasReached(meta, topic, offsets)) !== true) {
        if (performance.now() >= deadline) {
          return false;
        }
        metas = await nextPoll();
      }
      return true;
    },
  };
}

/**
 * Whether a read model has read all records that a topic contained at the first call. Once the read model has caught
 * up, the answer stays true.
 */
export function createCaughtUp(
  progress: ModelProgress,
  offsets: TopicOffsets,
  topic: TopicName,
): () => Promise<boolean> {
  let ends: AwaitedOffsets | null = null;
  let isReached = false;
  return async () => {
    if (!isReached) {
      ends ??= allPartitions(await offsets.ends(topic));
      isReached = await progress.reached(topic, ends, 0);
    }
    return isReached;
  };
}

/** The log, and the progress of the read model that is compared with it. */
export interface ModelAndLog {
  readonly progress: ModelProgress;
  readonly offsets: Pick<TopicOffsets, 'ends'>;
}

/**
 * Waits until a read model has read all records that a topic contains now.
 * @param timeoutMs the limit of the read of the end offsets and of the wait together
 * @param awaitedOf selects what is awaited; by default all partitions
 * @returns false if the read model is still behind after `timeoutMs`
 * @throws UnavailableError if the brokers do not answer within `timeoutMs`
 */
export async function reachedEnds(
  { progress, offsets }: ModelAndLog,
  topic: TopicName,
  timeoutMs: number,
  awaitedOf: (ends: EndOffsets) => AwaitedOffsets = allPartitions,
): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  const ends = await withTimeout(offsets.ends(topic), timeoutMs, 'Kafka does not respond');
  return progress.reached(topic, awaitedOf(ends), deadline - performance.now());
}

/** The read model and the topic of a wait for all records that the topic contains now. */
export interface AwaitedEnds {
  /** The name of the read model, for the error. */
  readonly model: string;
  readonly topic: TopicName;
  readonly timeoutMs: number;
}

/**
 * Waits until a read model has read all records that a topic contains now. What the model lacks then is not in the log.
 * @throws UnavailableError if the read model is still behind after `timeoutMs`, or the brokers do not answer in time
 */
export async function waitForEnds(
  modelAndLog: ModelAndLog,
  { model, topic, timeoutMs }: AwaitedEnds,
): Promise<void> {
  if (!(await reachedEnds(modelAndLog, topic, timeoutMs))) {
    throw new UnavailableError(`the read model "${model}" is behind the log`);
  }
}

/** Whether a read model is complete and has read a topic up to the given offsets. */
export function hasReached(meta: MetaDocument, topic: TopicName, offsets: AwaitedOffsets): boolean {
  const positions = meta.positions[topic] ?? {};
  return (
    meta.complete &&
    [...offsets].every(([partition, offset]) => (positions[String(partition)] ?? 0) >= offset)
  );
}

/** The end offsets of a topic as awaited offsets. */
export function allPartitions(ends: EndOffsets): AwaitedOffsets {
  return new Map(ends.entries());
}

/** The awaited offsets for records of one topic. */
export function offsetsBehind(
  positions: readonly Pick<RecordPosition, 'partition' | 'offset'>[],
): AwaitedOffsets {
  const behind = new Map<number, number>();
  for (const { partition, offset } of positions) {
    behind.set(partition, Math.max(behind.get(partition) ?? 0, offset + 1));
  }
  return behind;
}
