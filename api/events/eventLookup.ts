import { isIdentifier } from '../../shared/domain/identifiers.js';
import { UnavailableError } from '../../shared/errors.js';
import { inTime } from '../../shared/inTime.js';
import type { TopicOffsets } from '../../shared/kafka/topicOffsets.js';
import type { EventDocument } from '../../shared/mongo/documents.js';
import { hasReached, type ModelProgress } from '../../shared/mongo/modelProgress.js';
import type { ModelAnswer, ReadModel } from '../../shared/mongo/readModels.js';
import { partitionOf } from '../../shared/topics/partition.js';
import type { Caller } from '../caller.js';
import { storedEvent, type StoredEvent } from './storedEvent.js';

export interface EventLookup {
  /**
   * An event of the caller's account and mode. Null is a firm answer: the log holds no such event.
   * @throws UnavailableError where that cannot be told in time
   */
  find: (caller: Pick<Caller, 'accountId' | 'mode'>, id: string) => Promise<StoredEvent | null>;
}

export interface EventLookupDependencies {
  readonly events: Pick<ReadModel<EventDocument>, 'findByIds'>;
  readonly progress: ModelProgress;
  readonly offsets: TopicOffsets;
  /** Partitions of the topic `events`. */
  readonly partitions: number;
}

const maximumWaiting = 200;
const waitMs = 2000;
const behind = 'the events are being read from the log';

/**
 * An event that was answered with 201 may not have reached the model yet. So one that is missing there is looked for
 * again once the model has passed the end of the event's partition as it is now.
 */
export function createEventLookup({
  events,
  progress,
  offsets,
  partitions,
}: EventLookupDependencies): EventLookup {
  let waiting = 0;

  const findAgain = async (id: string, before: ModelAnswer<EventDocument>): Promise<StoredEvent | null> => {
    const deadline = Date.now() + waitMs;
    const partition = partitionOf(id, partitions);
    const ends = await inTime(offsets.ends('events'), waitMs, 'the log does not answer');
    const awaited = new Map([[partition, ends[partition] ?? 0]]);
    if (hasReached(before.meta, 'events', awaited)) {
      return null;
    }
    if (!(await progress.reached('events', awaited, deadline - Date.now()))) {
      throw new UnavailableError(behind);
    }
    return eventOf(await events.findByIds([id]));
  };

  const findInAnyAccount = async (id: string): Promise<StoredEvent | null> => {
    const answer = await events.findByIds([id]);
    const event = answer.meta.complete ? eventOf(answer) : null;
    if (event !== null) {
      return event;
    }
    if (waiting >= maximumWaiting) {
      throw new UnavailableError(behind);
    }
    waiting += 1;
    try {
      return await findAgain(id, answer);
    } finally {
      waiting -= 1;
    }
  };

  return {
    find: async ({ accountId, mode }, id) => {
      const event = isIdentifier('evt', id) ? await findInAnyAccount(id) : null;
      return event?.accountId === accountId && event.mode === mode ? event : null;
    },
  };
}

function eventOf({ documents: [document] }: ModelAnswer<EventDocument>): StoredEvent | null {
  return document === undefined ? null : storedEvent(document);
}
