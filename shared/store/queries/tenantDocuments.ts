import type { Collection, Db, Document, Filter } from 'mongodb';

import { sleepUnlessAborted } from '../../concurrency/periodicTask.js';
import type { Mode } from '../../domain/core/fact.js';
import { containsEvent, type EndedLife } from '../../domain/tenants/tenant.js';
import { mapUnavailableErrors } from '../client/unavailableErrors.js';
import { versionOf } from '../models/generations.js';
import { attemptIndexes, eventIndexes, replayIndexes, type IndexKey } from '../models/indexes.js';
import { modelDefinitions, type ModelName } from '../models/modelDefinitions.js';
import { removeEventsIn } from './expiredDocuments.js';

/** A life of a tenant that has ended. */
export interface LifeOfTenant extends Pick<EndedLife, 'lifeId' | 'eventsFrom' | 'eventsBelow'> {
  readonly accountId: string;
  readonly mode: Mode;
  readonly tenantId: string;
}

/** The result of a removal, over all generations. */
export interface TenantRemoval {
  readonly removed: number;
  /** The documents that must stay for now: events with an open delivery, and running replays. */
  readonly remaining: number;
}

/** The documents of tenants in every generation of the read models, including generations that are being built. */
export interface TenantDocuments {
  /**
   * Removes the events, attempts, replays and counters of a life, page by page. Each removal is bounded by the life id or
   * by positions, so it touches no document of another life of the same tenant.
   * @throws UnavailableError if the database is unavailable
   */
  remove: (life: LifeOfTenant, signal: AbortSignal) => Promise<TenantRemoval>;
}

/** The time limit for a page, in milliseconds, so that the search does not delay the folds. */
const maxTimeMS = 3000;
const pageSize = 500;
/** The most events whose positions are compared at once. The comparison reads index keys only. */
const comparedSize = 2000;

type Removable = 'events' | 'attempts' | 'replays';

type RemoveFrom = (
  collection: Collection<{ readonly _id: string }>,
  life: LifeOfTenant,
  signal: AbortSignal,
) => Promise<TenantRemoval>;

const nothing: TenantRemoval = { removed: 0, remaining: 0 };

export function createTenantDocuments(database: Db): TenantDocuments {
  /** The generations of the present version. Earlier versions store no tenants. */
  const collectionsOf = async (model: ModelName) => {
    const found = database.listCollections({ name: { $regex: `^${model}\\.v\\d` } }, { nameOnly: true });
    return (await found.toArray())
      .map(({ name }) => name)
      .filter((name) => versionOf(name) === modelDefinitions[model].version)
      .map((name) => database.collection<{ readonly _id: string }>(name));
  };

  const removers: Readonly<Record<Removable, RemoveFrom>> = {
    events: removeEventsFrom(database),
    attempts: removeAttemptsFrom,
    replays: removeReplaysFrom,
  };

  const remove: TenantDocuments['remove'] = async (life, signal) => {
    let all = nothing;
    for (const model of ['events', 'attempts', 'replays'] as const) {
      for (const collection of await collectionsOf(model)) {
        all = sumOf(all, await removers[model](collection, life, signal));
      }
    }
    return all;
  };

  return { remove: (...request) => mapUnavailableErrors(remove(...request)) };
}

function sumOf(one: TenantRemoval, other: TenantRemoval): TenantRemoval {
  return { removed: one.removed + other.removed, remaining: one.remaining + other.remaining };
}

/** The fields of an event that decide whether it belongs to a life. The index has all of them except deliveries. */
interface ComparedEvent extends Document {
  readonly _id: string;
  /** Missing before the fold of the event's own record. */
  readonly created?: Date;
  readonly home: number;
  readonly homeOffset?: number;
  /** Only read if the event's own record is missing. */
  readonly deliveries?: readonly { readonly tenancy?: string }[];
}

function removeEventsFrom(database: Db): RemoveFrom {
  return async ({ collectionName }, life, signal) => {
    const events = database.collection<ComparedEvent>(collectionName);
    const result = { removed: 0, remaining: 0 };
    for (const mode of modesOf(life)) {
      for await (const page of pagesOf(events, { ...life, mode })) {
        const ids = page.filter((event) => belongsTo(event, life)).map(({ _id }) => _id);
        for (let from = 0; from < ids.length && !signal.aborted; from += pageSize) {
          const startedAt = performance.now();
          const some = ids.slice(from, from + pageSize);
          const removed = await removeEventsIn(database, collectionName, some);
          result.removed += removed;
          result.remaining += some.length - removed;
          // The pause is as long as the removal took, so that the removal of a million events does not delay the folds.
          await sleepUnlessAborted(signal, performance.now() - startedAt);
        }
        if (signal.aborted) {
          return result;
        }
      }
    }
    const { lifeId } = life;
    const counters = database.collection<{ readonly _id: string }>(collectionName);
    const index = eventIndexes.tenantCounters.key;
    return result.remaining > 0
      ? result
      : sumOf(result, await removeAll(counters, { 'counters.ofTenancy': lifeId }, index, signal));
  };
}

/**
 * The modes of the events of a life. An event without its own record has no mode. It has a delivery, and only events of
 * the live mode have deliveries.
 */
function modesOf({ mode }: LifeOfTenant): readonly (Mode | null)[] {
  return mode === 'live' ? ['live', null] : [mode];
}

/** The events of a tenant in all its lives, page by page. */
async function* pagesOf(
  events: Collection<ComparedEvent>,
  { accountId, tenantId, mode }: Omit<LifeOfTenant, 'mode'> & { readonly mode: Mode | null },
): AsyncGenerator<readonly ComparedEvent[]> {
  const projection = {
    _id: 1,
    created: 1,
    home: 1,
    homeOffset: 1,
    ...(mode === null && { 'deliveries.tenancy': 1 }),
  };
  let last: ComparedEvent | undefined;
  do {
    const filter: Filter<ComparedEvent> = { accountId, mode, tenantId, ...behind(last) };
    const page: readonly ComparedEvent[] = await events
      .find(filter, {
        projection,
        limit: comparedSize,
        maxTimeMS,
        sort: { created: -1, _id: -1 },
        hint: { ...eventIndexes.byTenant.key },
      })
      .toArray();
    yield page;
    last = page.length === comparedSize ? page.at(-1) : undefined;
  } while (last !== undefined);
}

function behind(last: ComparedEvent | undefined): Document {
  if (last === undefined) {
    return {};
  }
  const { _id, created } = last;
  return created === undefined
    ? { created: null, _id: { $lt: _id } }
    : { created: { $lte: created }, $or: [{ created: { $lt: created } }, { _id: { $lt: _id } }] };
}

function belongsTo(
  { home: partition, homeOffset, deliveries = [] }: ComparedEvent,
  life: LifeOfTenant,
): boolean {
  return homeOffset === undefined
    ? deliveries.some(({ tenancy }) => tenancy === life.lifeId)
    : containsEvent(life, { partition, offset: homeOffset });
}

const removeAttemptsFrom: RemoveFrom = async (attempts, life, signal) => {
  const { accountId, mode, tenantId, lifeId, eventsFrom, eventsBelow } = life;
  const statuses = { $in: ['succeeded', 'failed'] };
  const ofWebhooks = { tenancy: lifeId, status: statuses };
  let removed = (await removeAll(attempts, ofWebhooks, attemptIndexes.byTenancy.key, signal)).removed;
  const ofEvents = { accountId, mode, ofTenant: tenantId };
  const index = attemptIndexes.byEventTenant.key;
  // Most tenants have no such attempt, which one read shows for all partitions.
  if ((await attempts.findOne(ofEvents, { hint: { ...index }, maxTimeMS })) === null) {
    return { removed, remaining: 0 };
  }
  for (const [home, below] of eventsBelow.entries()) {
    const homeOffset = { $gte: eventsFrom[home] ?? 0, $lt: below };
    removed += (await removeAll(attempts, { ...ofEvents, home, homeOffset }, index, signal)).removed;
  }
  return { removed, remaining: 0 };
};

const removeReplaysFrom: RemoveFrom = async (replays, { lifeId: tenancy }, signal) => {
  const index = replayIndexes.byTenancy.key;
  const ended = { tenancy, status: { $in: ['completed', 'canceled'] } };
  const { removed } = await removeAll(replays, ended, index, signal);
  const options = { hint: { ...index }, limit: 1, maxTimeMS };
  return { removed, remaining: await replays.countDocuments({ tenancy, status: 'running' }, options) };
};

/** Removes all documents that match a filter, page by page. */
async function removeAll(
  documents: Collection<{ readonly _id: string }>,
  filter: Document,
  index: IndexKey,
  signal: AbortSignal,
): Promise<TenantRemoval> {
  let removed = 0;
  for (let isLast = false; !isLast && !signal.aborted;) {
    const startedAt = performance.now();
    const options = { projection: { _id: 1 }, limit: pageSize, hint: { ...index }, maxTimeMS };
    const page = await documents.find(filter, options).toArray();
    isLast = page.length < pageSize;
    if (page.length > 0) {
      const ids = page.map(({ _id }) => _id);
      removed += (await documents.deleteMany({ _id: { $in: ids } })).deletedCount;
      await sleepUnlessAborted(signal, performance.now() - startedAt);
    }
  }
  return { removed, remaining: 0 };
}
