import type { Db, Document } from 'mongodb';

import { lowestEventId } from '../../domain/events/expiry.js';
import { derivedDocuments } from '../models/documents.js';
import { metaId } from '../models/generations.js';
import type { ModelName } from '../models/modelDefinitions.js';
import { statsDocumentsBefore } from '../models/statsDocuments.js';

export interface CountedDocuments {
  readonly documents: number;
  readonly allDocuments: number;
}

export interface DocumentsBefore {
  /** Counts the documents of a generation that may come from records from before a time, and all its documents. */
  count: (model: ModelName, generation: string, before: Date) => Promise<CountedDocuments>;
}

/** The options of a count, with a long timeout because a count of a large collection takes some seconds. */
const countLimits = { comment: 'old documents of a read model', socketTimeoutMS: 10 * 60_000 } as const;
/** The maximum difference between the clocks of processes and brokers, in milliseconds. */
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

const allOf = { _id: { $ne: metaId }, $nor: derivedDocuments.$or };

/**
 * The filter for documents that may come from records from before a time. An event's id is older than all records of
 * the event.
 */
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
    case 'eventTypes':
    case 'replays':
    case 'tenants':
    case 'webhooks':
      // The topics of `accounts`, `webhooks`, `replays`, `tenants`, event types and account keys have no retention limit. If records of a topic
      // without a retention limit are missing, every document may come from missing records.
      return allOf;
  }
}
