import type { Db, Document } from 'mongodb';

import { lowestEventId } from '../../domain/events/expiry.js';
import { metaId } from '../models/generations.js';
import type { ModelName } from '../models/readModels.js';
import { statsDocumentsBefore } from '../models/statsDocuments.js';

export interface CountedDocuments {
  readonly documents: number;
  readonly allDocuments: number;
}

export interface DocumentsBefore {
  /**
   * How many documents of a generation may come from records that were appended before a time, and how many documents
   * exist.
   */
  count: (model: ModelName, generation: string, before: Date) => Promise<CountedDocuments>;
}

/** Counts of large collections take some seconds. */
const countLimits = { comment: 'old documents of a read model', socketTimeoutMS: 10 * 60_000 } as const;
/** Clocks of processes and brokers differ by less than this, in milliseconds. */
const clockSkewMs = 60_000;

export function createDocumentsBefore(database: Db): DocumentsBefore {
  const countIn = (generation: string, filter: Document) =>
    database.collection(generation).countDocuments(filter, { ...countLimits });

  return {
    count: async (model, generation, before) => {
      const [documents, allDocuments] = await Promise.all([
        countIn(generation, filterOf(model, new Date(before.getTime() + clockSkewMs))),
        countIn(generation, allOf),
      ]);
      return { documents, allDocuments };
    },
  };
}

const allOf = { _id: { $ne: metaId } };

/** An event is appended after its id was created, and all its other records follow. */
function filterOf(model: ModelName, before: Date): Document {
  switch (model) {
    case 'events':
      return { _id: { $gte: 'evt_', $lt: lowestEventId(before) } };
    case 'attempts':
      return { eventId: { $lt: lowestEventId(before) } };
    case 'stats':
      return { ...allOf, ...statsDocumentsBefore(before) };
    case 'accounts':
    case 'accountKeys':
    case 'audit':
    case 'replays':
    case 'webhooks':
      // The log keeps all records of these topics. If records are missing nevertheless, every document may come from
      // them.
      return allOf;
  }
}
