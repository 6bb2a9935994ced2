import type { Clock } from '../../../shared/core/clock.js';
import type { EventDocument } from '../../../shared/store/models/documents.js';
import { eventIndexes } from '../../../shared/store/models/indexes.js';
import type { ReadModel } from '../../../shared/store/models/readModels.js';
import type { Caller } from '../../http/context.js';
import { storedEvent, type PublicEvent } from '../events/representation.js';

/** What is new or has changed since the last look. */
export interface Changes {
  /** Whether there may be more than was seen. */
  readonly hasGap: boolean;
  /** Oldest first. */
  readonly ids: readonly string[];
}

/** The events that a stream is about, as they were at its last look. */
export interface EventPoller {
  poll: () => Promise<Changes>;
  /** Events as they are now, in the order of their ids. */
  read: (ids: readonly string[]) => Promise<readonly PublicEvent[]>;
}

export interface EventSelection {
  readonly owner: Pick<Caller, 'accountId' | 'mode'>;
  readonly types: readonly string[] | null;
  /** Where a reader goes on: all from a minute before it on is new. Null for one that begins now. */
  readonly since: Date | null;
}

export interface EventPollerDependencies {
  readonly events: Pick<ReadModel<EventDocument>, 'findPage' | 'findByIds'>;
  readonly clock: Clock;
}

/**
 * Partitions are folded one faster than the other, so events get into the model out of order: those of so long before the
 * newest are looked at again. For as long is followed what becomes of their deliveries.
 */
const overlapMs = 60_000;
/** The newest of them, at each look. */
const maximumSeen = 1000;
const unread = ['data', 'positions', 'source', 'onlyWebhookId'];

export function createEventPoller(
  { events, clock }: EventPollerDependencies,
  { owner: { accountId, mode }, types, since }: EventSelection,
): EventPoller {
  let seen: ReadonlyMap<string, string> | null = since === null ? null : new Map();
  let newest = since ?? clock();

  const find = () => {
    const created = { $gte: new Date(newest.getTime() - overlapMs) };
    const ofTypes = types === null ? {} : { type: { $in: types } };
    return events.findPage({
      ranges: [{ filter: { accountId, mode, ...ofTypes, created }, sort: { created: -1, _id: -1 } }],
      limit: maximumSeen,
      index: types === null ? eventIndexes.all.key : eventIndexes.byType.key,
      without: unread,
      owner: accountId,
    });
  };

  return {
    poll: async () => {
      const found = await find();
      const now = new Map(found.map((event) => [event._id, stateOf(event)]));
      const before = seen ?? now;
      seen = now;
      newest = laterOf(newest, found[0]?.created ?? newest, clock());
      const ids = [...now].filter(([id, state]) => before.get(id) !== state).map(([id]) => id);
      const oldest = found.at(-1)?._id ?? '';
      return { hasGap: found.length === maximumSeen && !before.has(oldest), ids: ids.reverse() };
    },
    read: async (ids) => {
      const { documents } = await events.findByIds(ids, { owner: accountId });
      const byId = new Map(documents.map((document) => [document._id, storedEvent(document)]));
      return ids.map((id) => byId.get(id) ?? null).filter((event) => event !== null);
    },
  };
}

/** What a reader is told again where it changes. */
function stateOf({ deliveries }: Pick<EventDocument, 'deliveries'>): string {
  return deliveries
    .map(({ webhookId, status, attemptCount }) => `${webhookId} ${status} ${String(attemptCount)}`)
    .join();
}

/** The later of two times, where the second is none that is still to come: other producers have clocks of their own. */
function laterOf(one: Date, other: Date, now: Date): Date {
  return other > one && other <= now ? other : one;
}
