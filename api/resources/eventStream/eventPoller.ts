import type { Clock } from '../../../shared/core/clock.js';
import type { EventDocument } from '../../../shared/store/models/documents.js';
import { maximumMergedTypes, typesMatching } from '../../../shared/store/queries/eventTypes.js';
import { eventIndexes } from '../../../shared/store/models/indexes.js';
import type { ReadModel } from '../../../shared/store/models/readModels.js';
import type { Caller } from '../../http/context.js';
import { storedEvent, type PublicEvent } from '../events/representation.js';

/** The events that are new or changed since the last poll. */
export interface Changes {
  /** Whether changes may be missing in the result of the poll. */
  readonly hasGap: boolean;
  /** The ids of the changed events, oldest event first. */
  readonly ids: readonly string[];
}

/** The events of a stream, with their states at the last poll. */
export interface EventPoller {
  poll: () => Promise<Changes>;
  /** The current events with the given ids, in the order of the ids. */
  read: (ids: readonly string[]) => Promise<readonly PublicEvent[]>;
}

export interface EventSelection {
  readonly owner: Pick<Caller, 'accountId' | 'mode'>;
  /** Types and patterns; null for every type. */
  readonly types: readonly string[] | null;
  /** The time from which a client resumes the stream, with an overlap of a minute, or null for a new client. */
  readonly since: Date | null;
}

export interface EventPollerDependencies {
  readonly events: Pick<ReadModel<EventDocument>, 'findPage' | 'findByIds' | 'findValues'>;
  readonly clock: Clock;
}

/**
 * The age of events that each poll reads again, relative to the newest event. Partitions are folded at different
 * speeds, so events enter the read model out of order. The stream reports changes of an event's deliveries until the
 * event has this age.
 */
const overlapMs = 60_000;
/** The number of newest events that each poll reads. */
const maximumSeen = 1000;
const unread = ['data', 'positions', 'source', 'onlyWebhookId'];

export function createEventPoller(
  { events, clock }: EventPollerDependencies,
  { owner, types: patterns, since }: EventSelection,
): EventPoller {
  const { accountId, mode } = owner;
  let seen: ReadonlyMap<string, string> | null = since === null ? null : new Map();
  let newest = since ?? clock();

  const find = async () => {
    const types = patterns && (await typesMatching(events, owner, patterns));
    const created = { $gte: new Date(newest.getTime() - overlapMs) };
    const ofTypes = types === null ? {} : { type: { $in: types } };
    return events.findPage({
      ranges: [{ filter: { accountId, mode, ...ofTypes, created }, sort: { created: -1, _id: -1 } }],
      limit: maximumSeen,
      index:
        types === null || types.length > maximumMergedTypes ? eventIndexes.all.key : eventIndexes.byType.key,
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

/** The part of an event whose changes the stream reports. */
function stateOf({ deliveries }: Pick<EventDocument, 'deliveries'>): string {
  return deliveries
    .map(({ webhookId, status, attemptCount }) => `${webhookId} ${status} ${String(attemptCount)}`)
    .join();
}

/**
 * The later of two times. The second time counts only if it is not in the future, because other producers have other
 * clocks.
 */
function laterOf(one: Date, other: Date, now: Date): Date {
  return other > one && other <= now ? other : one;
}
