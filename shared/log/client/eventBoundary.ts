import { isDeepStrictEqual } from 'node:util';

import { sharedNext } from '../../concurrency/sharedNext.js';
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
 * Creates the read of the present end of the topic `events`. Each answer is newer than its call, and calls share reads.
 */
export function createEventBoundary({
  offsets,
  boundaryIds,
}: {
  readonly offsets: TopicOffsets;
  readonly boundaryIds: BoundaryIds;
}): () => Promise<EventBoundary> {
  let last: EventBoundary = { offsets: [], ids: [] };
  return sharedNext(async () => {
    const ends = await withTimeout(offsets.ends('events'), timeoutMs, 'Kafka does not respond');
    // The ids are the same while no event arrives, as when a platform registers its customers.
    if (!isDeepStrictEqual(ends, last.offsets)) {
      last = { offsets: ends, ids: await boundaryIds(noAccount, 'events', ends) };
    }
    return last;
  }, betweenReadsMs);
}
