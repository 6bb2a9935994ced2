import type { Db, Document, FindCursor } from 'mongodb';

import { UnavailableError } from '../../core/errors.js';
import { derivedDocuments, type ModelDocument } from '../models/documents.js';
import { metaId, type MetaDocument, type ModelPositions } from '../models/generations.js';

/** The documents of two generations with the same id; null if a generation has no document with the id. */
export interface DocumentPair {
  readonly id: string;
  readonly left: ModelDocument | null;
  readonly right: ModelDocument | null;
}

/** Documents of one generation, and the generation's positions at the time of the read. */
export interface GenerationRead {
  readonly documents: ReadonlyMap<string, ModelDocument>;
  readonly positions: ModelPositions;
}

/** Reads documents of any generation, live or not. */
export interface GenerationReader {
  /** Reads all documents of two generations except entries and counters, in the order of their ids. */
  pairs: (left: string, right: string) => AsyncGenerator<DocumentPair>;
  /**
   * Reads documents by their ids, and the positions of their generation, at the same time.
   * @throws UnavailableError if the generation was dropped
   */
  read: (generation: string, ids: readonly string[]) => Promise<GenerationRead>;
}

const documentsPerRead = 1000;

export function createGenerationReader(database: Db): GenerationReader {
  const all = (generation: string): FindCursor<ModelDocument> =>
    database
      .collection<ModelDocument>(generation)
      .find({ _id: { $ne: metaId }, $nor: derivedDocuments.$or }, { batchSize: documentsPerRead })
      .sort({ _id: 1 });

  return {
    pairs: (left, right) => merged(all(left), all(right)),
    read: async (generation, ids) => {
      const filter = { _id: { $in: [metaId, ...ids] } };
      const found: Document[] = await database.collection<ModelDocument>(generation).find(filter).toArray();
      const meta = found.find(isMeta);
      if (meta === undefined) {
        throw new UnavailableError(`the generation ${generation} of the read model was removed`);
      }
      const isModel = (document: Document): document is ModelDocument => !isMeta(document);
      return {
        documents: new Map(found.filter(isModel).map((document) => [document._id, document])),
        positions: meta.positions,
      };
    },
  };
}

function isMeta(document: Document): document is MetaDocument {
  return document['_id'] === metaId;
}

async function* merged(
  lefts: FindCursor<ModelDocument>,
  rights: FindCursor<ModelDocument>,
): AsyncGenerator<DocumentPair> {
  let [left, right] = await Promise.all([lefts.next(), rights.next()]);
  for (let pair = firstPair(left, right); pair !== null; pair = firstPair(left, right)) {
    yield pair;
    left = pair.left === null ? left : await lefts.next();
    right = pair.right === null ? right : await rights.next();
  }
}

/**
 * The next pair of documents of two sorted collections, which has the lower id. Ids are ASCII, so MongoDB sorts them in
 * the same order as JavaScript compares strings.
 */
function firstPair(left: ModelDocument | null, right: ModelDocument | null): DocumentPair | null {
  if (left !== null && left._id === right?._id) {
    return { id: left._id, left, right };
  }
  if (left !== null && (right === null || left._id < right._id)) {
    return { id: left._id, left, right: null };
  }
  return right === null ? null : { id: right._id, left: null, right };
}
