import { setTimeout as pause } from 'node:timers/promises';

import type { EndOffsets, TopicOffsets } from '../../log/client/topicOffsets.js';
import type { RecordPosition } from '../../log/encoding/record.js';
import type { TopicName } from '../../log/topics/names.js';
import type { MetaDocument } from './generations.js';

/** For each partition, the next offset to read once all awaited records were read. */
export type AwaitedOffsets = ReadonlyMap<number, number>;

export interface ModelProgress {
  /**
   * Waits until a model is complete and has read a topic up to the given offsets.
   * @returns false after the timeout
   */
  reached: (topic: TopicName, offsets: AwaitedOffsets, timeoutMs: number) => Promise<boolean>;
}

const pollIntervalMs = 5;

/**
 * Waits for positions of one model. All waits share each read of its meta documents, because after a crash a thousand
 * events wait at once. A read in flight may have begun before a wait did. Positions never decrease, so its positive
 * answer is right, and after a negative one the wait reads again.
 * @param readMetas reads the meta documents of every generation that the wait must include, as of the end of the read
 */
export function createModelProgress(readMetas: () => Promise<readonly MetaDocument[]>): ModelProgress {
  let reading: Promise<readonly MetaDocument[] | null> | null = null;
  let polling: Promise<readonly MetaDocument[] | null> | null = null;

  const sharedRead = () => {
    reading ??= readMetas()
      // The model does not exist yet, or is unavailable for a moment. The caller's timeout decides.
      .catch(() => null)
      .finally(() => {
        reading = null;
      });
    return reading;
  };

  const nextPoll = () => {
    polling ??= pause(pollIntervalMs)
      .then(sharedRead)
      .finally(() => {
        polling = null;
      });
    return polling;
  };

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

/** Whether a model has read what a topic contained at the first call. Once true, it stays true. */
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

/** Whether a model is complete and has read a topic up to these offsets. */
export function hasReached(meta: MetaDocument, topic: TopicName, offsets: AwaitedOffsets): boolean {
  const positions = meta.positions[topic] ?? {};
  return (
    meta.complete &&
    [...offsets].every(([partition, offset]) => (positions[String(partition)] ?? 0) >= offset)
  );
}

/** All end offsets of a topic as offsets to wait for. */
export function allPartitions(ends: EndOffsets): AwaitedOffsets {
  return new Map(ends.entries());
}

/** The offsets to wait for until these records, all of one topic, were read. */
export function offsetsBehind(
  positions: readonly Pick<RecordPosition, 'partition' | 'offset'>[],
): AwaitedOffsets {
  const behind = new Map<number, number>();
  for (const { partition, offset } of positions) {
    behind.set(partition, Math.max(behind.get(partition) ?? 0, offset + 1));
  }
  return behind;
}
