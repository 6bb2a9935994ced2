import { withTimeout } from '../../../shared/concurrency/withTimeout.js';
import { UnavailableError } from '../../../shared/core/errors.js';
import { isIdentifier } from '../../../shared/domain/core/identifiers.js';
import type { TopicOffsets } from '../../../shared/log/client/topicOffsets.js';
import { partitionOf } from '../../../shared/log/topics/partition.js';
import type { EventDocument } from '../../../shared/store/models/documents.js';
import { hasReached, type ModelProgress } from '../../../shared/store/models/modelProgress.js';
import type { ModelAnswer, ReadModel } from '../../../shared/store/models/readModels.js';
import type { Caller } from '../../http/context.js';
import { storedEvent, type StoredEvent } from './representation.js';

export interface EventLookup {
  /**
   * An event of the caller's account and mode, or null if the log contains no such event.
   * @throws UnavailableError if the read model does not catch up in time
   */
  find: (caller: Pick<Caller, 'accountId' | 'mode'>, id: string) => Promise<StoredEvent | null>;
}

export interface EventLookupDependencies {
  readonly events: Pick<ReadModel<EventDocument>, 'findByIds'>;
  readonly progress: ModelProgress;
  readonly offsets: TopicOffsets;
  /** The number of partitions of the topic `events`. */
  readonly partitions: number;
}

const maximumWaiting = 200;
/**
 * The number of lookups of one account that may wait. The limit of an account is lower than the total limit, so that
 * one account does not block other accounts.
 */
const maximumWaitingOfAccount = 100;
const waitMs = 2000;
const behind = 'the read model of events is behind the log';

/**
 * The lookup of events with read-your-writes. The read model may not contain an accepted event yet. The lookup of a
 * missing event therefore waits until the read model has reached the current end of the event's partition.
 */
export function createEventLookup({
  events,
  progress,
  offsets,
  partitions,
}: EventLookupDependencies): EventLookup {
  const waiting = { all: 0, ofAccount: new Map<string, number>() };

  const findAgain = async (
    id: string,
    owner: string,
    before: ModelAnswer<EventDocument>,
  ): Promise<StoredEvent | null> => {
    const deadline = Date.now() + waitMs;
    const partition = partitionOf(id, partitions);
    const ends = await withTimeout(offsets.ends('events'), waitMs, 'Kafka does not respond');
    const awaited = new Map([[partition, ends[partition] ?? 0]]);
    if (hasReached(before.meta, 'events', awaited)) {
      return null;
    }
    if (!(await progress.reached('events', awaited, deadline - Date.now()))) {
      throw new UnavailableError(behind);
    }
    return eventOf(await events.findByIds([id], { owner }));
  };

  const findInAnyAccount = async (id: string, owner: string): Promise<StoredEvent | null> => {
    const answer = await events.findByIds([id], { owner });
    const event = answer.meta.complete ? eventOf(answer) : null;
    if (event !== null) {
      return event;
    }
    const ofAccount = waiting.ofAccount.get(owner) ?? 0;
    if (waiting.all >= maximumWaiting || ofAccount >= maximumWaitingOfAccount) {
      throw new UnavailableError(behind);
    }
    waiting.all += 1;
    waiting.ofAccount.set(owner, ofAccount + 1);
    try {
      return await findAgain(id, owner, answer);
    } finally {
      waiting.all -= 1;
      const left = (waiting.ofAccount.get(owner) ?? 1) - 1;
      if (left === 0) {
        waiting.ofAccount.delete(owner);
      } else {
        waiting.ofAccount.set(owner, left);
      }
    }
  };

  return {
    find: async ({ accountId, mode }, id) => {
      const event = isIdentifier('evt', id) ? await findInAnyAccount(id, accountId) : null;
      return event?.accountId === accountId && event.mode === mode ? event : null;
    },
  };
}

function eventOf({ documents: [document] }: ModelAnswer<EventDocument>): StoredEvent | null {
  return document === undefined ? null : storedEvent(document);
}
