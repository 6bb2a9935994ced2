import type { Db, Filter } from 'mongodb';

import type { Delivery } from '../../domain/deliveries/delivery.js';
import type { AttemptDocument, EventDocument } from '../models/documents.js';
import { aliasCollection, readGeneration, type AliasDocument } from '../models/generations.js';
import { modelDefinitions, type ModelName } from '../models/readModels.js';

/** An event that is old enough, without an open delivery. */
export type ExpiredEvent = Pick<EventDocument, '_id' | 'source'>;

/** A range of event ids, in their order: above `after`, which may be lower than any id, and below `below`. */
export interface IdRange {
  readonly after: string;
  readonly below: string;
}

/** Finds and removes old documents, in pages that the caller limits. */
export interface ExpiredDocuments {
  /** The first events of a range without an open delivery. */
  findEvents: (range: IdRange, limit: number) => Promise<readonly ExpiredEvent[]>;
  /** Removes those of the events that still have no open delivery. */
  removeEvents: (ids: readonly string[]) => Promise<number>;
  /** The events of the first attempts of a range, each event once. The limit counts attempts. */
  findEventsOfAttempts: (range: IdRange, limit: number) => Promise<readonly string[]>;
  /** Those of these events that the model of events does not contain. */
  findMissing: (ids: readonly string[]) => Promise<readonly string[]>;
  removeAttemptsOf: (eventIds: readonly string[]) => Promise<number>;
}

const openStatuses: Delivery['status'][] = ['pending', 'retrying'];
const withoutOpenDelivery: Filter<EventDocument> = { 'deliveries.status': { $nin: openStatuses } };
/** The time limit of a page, so that it does not delay the folds, in milliseconds. */
const maxTimeMS = 3000;

/**
 * The old documents of the generations that are currently read. A generation that is being built is swept once it is
 * live.
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
    removeEvents: async (ids) => {
      const old = { _id: { $in: [...ids] }, ...withoutOpenDelivery };
      return ids.length === 0 ? 0 : (await (await events()).deleteMany(old)).deletedCount;
    },
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
