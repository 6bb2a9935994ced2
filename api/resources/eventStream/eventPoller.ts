import type { Clock } from '../../../shared/core/clock.js';
import type { EventDocument } from '../../../shared/store/models/documents.js';
import { maximumMergedTypes, typesMatching } from '../../../shared/store/queries/eventTypes.js';
import { eventIndexes } from '../../../shared/store/models/indexes.js';
import type { ReadModel } from '../../../shared/store/models/readModels.js';
import type { TakenUp } from '../../catchUp/takenUp.js';
import { isOwnedEvent, ownedDeliveries, ownedFilter, type Owner } from '../../http/ownership.js';
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
  readonly owner: Owner;
  /** The tenant of the events, null for events without a tenant, or undefined for all events. */
  readonly tenantId: string | null | undefined;
  /** Types and patterns; null for every type. */
  readonly types: readonly string[] | null;
  /** The time from which a client resumes the stream, with an overlap of a minute, or null for a new client. */
  readonly since: Date | null;
}

export interface EventPollerDependencies {
  readonly events: Pick<ReadModel<EventDocument>, 'findPage' | 'findByIds' | 'findValues' | 'meta'>;
  readonly takenUp: Pick<TakenUp, 'refresh' | 'areDeliveriesComplete'>;
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
const unread = ['data', 'positions', 'onlyWebhookId'];

export function createEventPoller(
  { events, takenUp, clock }: EventPollerDependencies,
  { owner, tenantId, types: patterns, since }: EventSelection,
): EventPoller {
  const { accountId } = owner;
  const ofTenant = tenantId === undefined ? {} : { tenantId };
  let seen: ReadonlyMap<string, string> | null = since === null ? null : new Map();
  let newest = since ?? clock();

  const find = async () => {
    const types = patterns && (await typesMatching(events, owner, patterns));
    const created = { $gte: new Date(newest.getTime() - overlapMs) };
    const ofTypes = types === null ? {} : { type: { $in: types } };
    return events.findPage({
      ranges: [
        {
          filter: { ...ownedFilter(owner, 'event'), ...ofTenant, ...ofTypes, created },
          sort: { created: -1, _id: -1 },
        },
      ],
      limit: maximumSeen,
      index: indexFor(types, tenantId).key,
      without: unread,
      share: accountId,
    });
  };

  return {
    poll: async () => {
      await takenUp.refresh();
      // The positions are read before the events, so that the events contain all records below them.
      const meta = await events.meta();
      const found = await find();
      const isComplete = (event: EventDocument) => takenUp.areDeliveriesComplete(event, meta);
      const stateNow = (event: EventDocument) =>
        stateOf(ownedDeliveries(owner, event.deliveries), isComplete(event));
      const now = new Map(found.map((event) => [event._id, stateNow(event)]));
      const before = seen ?? now;
      seen = now;
      newest = laterOf(newest, found[0]?.created ?? newest, clock());
      const ids = [...now].filter(([id, state]) => before.get(id) !== state).map(([id]) => id);
      const oldest = found.at(-1)?._id ?? '';
      return { hasGap: found.length === maximumSeen && !before.has(oldest), ids: ids.reverse() };
    },
    read: async (ids) => {
      const { documents, meta } = await events.findByIds(accountId, ids);
      const isComplete = (event: EventDocument) => takenUp.areDeliveriesComplete(event, meta);
      const own = documents.filter((document) => isOwnedEvent(owner, document));
      const shown = own.map((event) => ({ ...event, deliveries: ownedDeliveries(owner, event.deliveries) }));
      const byId = new Map(shown.map((document) => [document._id, storedEvent(document, isComplete)]));
      return ids.map((id) => byId.get(id) ?? null).filter((event) => event !== null);
    },
  };
}

function indexFor(types: readonly string[] | null, tenantId: string | null | undefined) {
  if (typeof tenantId === 'string') {
    return eventIndexes.byTenant;
  }
  return types === null || types.length > maximumMergedTypes ? eventIndexes.all : eventIndexes.byType;
}

/** The part of an event whose changes the stream reports. */
function stateOf(deliveries: EventDocument['deliveries'], isComplete: boolean): string {
  const states = deliveries.map(
    ({ webhookId, status, attemptCount }) => `${webhookId} ${status} ${String(attemptCount)}`,
  );
  return [isComplete ? 'complete' : 'incomplete', ...states].join();
}

/**
 * The later of two times. The second time counts only if it is not in the future, because other producers have other
 * clocks.
 */
function laterOf(one: Date, other: Date, now: Date): Date {
  return other > one && other <= now ? other : one;
}
