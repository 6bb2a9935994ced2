import { setTimeout as pause } from 'node:timers/promises';

import { withTimeout } from '../../concurrency/withTimeout.js';
import type { BoundaryIds, RecordIds } from './boundaryIds.js';
import type { TopicOffsets } from './topicOffsets.js';

/** A place in the topic `events`, between the records before it and those after it. */
export interface EventBoundary {
  /** The end offset of each partition. */
  readonly offsets: readonly number[];
  readonly ids: RecordIds;
}

const timeoutMs = 5000;
/** The least time between the starts of two reads, in milliseconds, because each read opens connections. */
const betweenReadsMs = 50;
/** The owner of the reads, which commands of all accounts share. */
const noAccount = '';

/**
 * Creates the read of the present end of the topic `events`. Callers share a read that has not started yet. A caller that
 * arrives during a read waits for the next read, so each answer is newer than its call.
 */
export function createEventBoundary({
  offsets,
  boundaryIds,
}: {
  readonly offsets: TopicOffsets;
  readonly boundaryIds: BoundaryIds;
}): () => Promise<EventBoundary> {
  let next: Promise<EventBoundary> | null = null;
  let current: Promise<unknown> = Promise.resolve();
  let earliest = 0;

  const read = async (): Promise<EventBoundary> => {
    const ends = await withTimeout(offsets.ends('events'), timeoutMs, 'Kafka does not respond');
    return { offsets: ends, ids: await boundaryIds(noAccount, 'events', ends) };
  };

  const readNext = async (before: Promise<unknown>): Promise<EventBoundary> => {
    await before;
    await pause(Math.max(0, earliest - performance.now()));
    earliest = performance.now() + betweenReadsMs;
    const reading = read();
    current = reading.catch(() => undefined);
    next = null;
    return reading;
  };

  return () => (next ??= readNext(current));
}
