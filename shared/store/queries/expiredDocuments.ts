import type { Db, Filter } from 'mongodb';

import type { Delivery } from '../../domain/deliveries/delivery.js';
import { entriesOf } from '../entries/deliveryEntries.js';
import { entryOperations } from '../entries/entryChanges.js';
import { inTransaction, isWriteConflict } from '../entries/transaction.js';
import type { AttemptDocument, EventDocument, ModelDocument } from '../models/documents.js';
import { aliasCollection, readGeneration, type AliasDocument } from '../models/generations.js';
import { modelDefinitions, type ModelName } from '../models/modelDefinitions.js';

/** An event in a range of ids that has no open delivery. */
export type ExpiredEvent = Pick<EventDocument, '_id' | 'source'>;

/** A range of event ids: greater than `after` and less than `below`. `after` may be lower than any id. */
export interface IdRange {
  readonly after: string;
  readonly below: string;
}

/** Finds and removes expired events and attempts, in pages that the caller limits. */
export interface ExpiredDocuments {
  /** Finds the first events of an id range that have no open delivery. */
  findEvents: (range: IdRange, limit: number) => Promise<readonly ExpiredEvent[]>;
  /**
   * Removes the given events except events with an open delivery, with their entries. An event that a fold changes at
   * the same time may stay. Returns the number of removed events.
   */
  removeEvents: (ids: readonly string[]) => Promise<number>;
  /**
   * Finds the event ids of the first attempts in an id range, each event id once. `limit` is the number of attempts.
   */
  findEventsOfAttempts: (range: IdRange, limit: number) => Promise<readonly string[]>;
  /** Finds the given event ids that the read model `events` does not contain. */
  findMissing: (ids: readonly string[]) => Promise<readonly string[]>;
  removeAttemptsOf: (eventIds: readonly string[]) => Promise<number>;
}

const openStatuses: Delivery['status'][] = ['pending', 'retrying'];
const withoutOpenDelivery: Filter<EventDocument> = { 'deliveries.status': { $nin: openStatuses } };
/** The time limit for a page, in milliseconds, so that the search does not delay the folds. */
const maxTimeMS = 3000;

/**
 * Creates the search for expired documents in live generations. A generation that is being built is searched only after
 * it has become live.
 */
export function createExpiredDocuments(database: Db): ExpiredDocuments {
  const readName = async (model: ModelName) => {
    const alias = await database.collection<AliasDocument>(aliasCollection).findOne({ _id: model });
    const name = alias === null ? null : readGeneration(alias, modelDefinitions[model].version);
    if (name === null) {
      throw new Error(`the read model "${model}" does not exist`);
    }
    return name;
  };
  const events = async () => database.collection<EventDocument>(await readName('events'));
  const attempts = async () => database.collection<AttemptDocument>(await readName('attempts'));

  return {
    findEvents: async ({ after, below }, limit) =>
      (await events())
        .find(
          { _id: { $gt: after, $lt: below }, ...withoutOpenDelivery },
          { sort: { _id: 1 }, limit, projection: { source: 1 }, hint: { _id: 1 }, maxTimeMS },
        )
        .toArray(),
    removeEvents: async (ids) =>
      ids.length === 0 ? 0 : removeEventsIn(database, await readName('events'), ids),
    findEventsOfAttempts: async ({ after, below }, limit) => {
      const found = await (
        await attempts()
      )
        .find(
          { eventId: { $gt: after, $lt: below } },
          { sort: { eventId: 1, created: -1, _id: -1 }, limit, projection: { eventId: 1 }, maxTimeMS },
        )
        .toArray();
      return [...new Set(found.map(({ eventId }) => eventId))];
    },
    findMissing: async (ids) => {
      const found = await (
        await events()
      )
        .find({ _id: { $in: [...ids] } }, { projection: { _id: 1 } })
        .toArray();
      const kept = new Set(found.map(({ _id }) => _id));
      return ids.filter((id) => !kept.has(id));
    },
    removeAttemptsOf: async (eventIds) => {
      const old = { eventId: { $in: [...eventIds] } };
      return eventIds.length === 0 ? 0 : (await (await attempts()).deleteMany(old)).deletedCount;
    },
  };
}

/**
 * Removes events of a generation, except events with an open delivery, with their entries. If a fold changes one of them or one of their counters at the same time, each half is removed alone.
 * So the counters of a webhook that fails all the time do not keep a whole page.
 * @returns the number of removed events
 */
export async function removeEventsIn(
  database: Db,
  generation: string,
  ids: readonly string[],
): Promise<number> {
  const removed = await removeWithEntries(database, generation, ids);
  if (removed !== null || ids.length === 1) {
    return removed ?? 0;
  }
  const middle = Math.ceil(ids.length / 2);
  const first = await removeEventsIn(database, generation, ids.slice(0, middle));
  return first + (await removeEventsIn(database, generation, ids.slice(middle)));
}

/**
 * Removes events with their entries and contributions to counters, in one transaction.
 * @returns the number of removed events, or null if a fold has changed one of the documents first
 */
async function removeWithEntries(
  database: Db,
  generation: string,
  ids: readonly string[],
): Promise<number | null> {
  const events = database.collection<EventDocument>(generation);
  let removed = 0;
  const isCommitted = await inTransaction(database, async (session) => {
    const old = await events
      .find(
        { _id: { $in: [...ids] }, ...withoutOpenDelivery },
        { session, projection: { data: 0, replayed: 0, positions: 0 } },
      )
      .toArray();
    const { deletedCount } = await events.deleteMany(
      { _id: { $in: old.map(({ _id }) => _id) } },
      { session },
    );
    removed = deletedCount;
    const operations = entryOperations(
      old.map((event) => ({ before: entriesOf(event), after: [] })),
      // An erasure may have removed the counters of the account.
      { upsert: false },
    );
    if (operations.length > 0) {
      await database.collection<ModelDocument>(generation).bulkWrite([...operations], { session });
    }
    return true;
  }).catch((error: unknown) => {
    if (isWriteConflict(error)) {
      return false;
    }
    throw error;
  });
  return isCommitted ? removed : null;
}
