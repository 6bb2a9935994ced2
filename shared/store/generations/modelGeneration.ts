import type { Db, Document } from 'mongodb';

import { insertOf, isDuplicateAlone, writeOf, type DocumentChange } from '../models/documentWrites.js';
import type { ModelDocument } from '../models/documents.js';
import type { FenceDocument } from '../models/fences.js';
import { metaId, type MetaDocument } from '../models/generations.js';
import { createGenerationProgress, type GenerationProgress } from './generationProgress.js';
import { rejectionOf } from './rejectedDocuments.js';

/** The storage options of a read model. */
export interface ModelStorage<Model extends ModelDocument> {
  /** The fields that no fold reads, and that are too large to load for each batch. */
  readonly unreadFields: readonly (keyof Model & string)[];
  /** The fields whose entries are written one by one, so that an unchanged entry is not sent to MongoDB again. */
  readonly fieldsOfEntries?: readonly (keyof Model & string)[];
  /**
   * Whether a document never changes after its first record. If so, no fold loads documents, an existing document stays
   * unchanged, and `positions` stays empty. Positions of documents that never change would depend on the ends of
   * batches.
   */
  readonly insertsOnly?: boolean;
}

/**
 * A generation: one collection into which a read model is folded. A collection is emptied or dropped only as a whole.
 */
export interface ModelGeneration<Model extends ModelDocument> extends GenerationProgress {
  /** The name of the collection, which is unique among all generations. */
  readonly name: string;
  load: (ids: readonly string[]) => Promise<ReadonlyMap<string, Model>>;
  /** Loads fences by their ids. Every read model loads and writes fences, even a read model with `insertsOnly`. */
  loadFences: (ids: readonly string[]) => Promise<ReadonlyMap<string, FenceDocument>>;
  writeFences: (changes: readonly DocumentChange<FenceDocument>[]) => Promise<'written' | 'conflict'>;
  /**
   * Writes each document if its positions have not changed since it was loaded.
   * @returns `conflict` if another process has written at least one of the documents first; the caller then loads and
   *   folds again
   * @throws RejectedDocumentsError if the database rejects a document permanently
   */
  write: (changes: readonly DocumentChange<Model>[]) => Promise<'written' | 'conflict'>;
}

/** @param name the name of a generation that the alias lists */
export function openGeneration<Model extends ModelDocument>(
  database: Db,
  name: string,
  { unreadFields, fieldsOfEntries = [], insertsOnly = false }: ModelStorage<Model>,
): ModelGeneration<Model> {
  const documents = database.collection<ModelDocument>(name);
  const progress = createGenerationProgress(database.collection<MetaDocument>(name));
  const toWrite = (change: DocumentChange<ModelDocument>) =>
    insertsOnly ? insertOf({ ...change.after, positions: {} }) : writeOf(change, fieldsOfEntries);
  const projection = Object.fromEntries(unreadFields.map((field) => [field, 0]));
  const fences = database.collection<FenceDocument>(name);

  /**
   * Writes all changed documents of a fold.
   * @param ifExists the result if an inserted document exists already
   */
  const writeAll = async (
    changes: readonly DocumentChange<ModelDocument>[],
    operationOf: typeof toWrite,
    ifExists: 'written' | 'conflict',
  ) => {
    if (changes.length === 0) {
      return 'written';
    }
    try {
      const updates = changes.filter(({ before }) => before !== null).length;
      const result = await documents.bulkWrite(changes.map(operationOf), { ordered: false });
      return result.matchedCount === updates ? 'written' : 'conflict';
    } catch (error) {
      if (isDuplicateAlone(error)) {
        return ifExists;
      }
      throw rejectionOf(error) ?? error;
    }
  };

  return {
    name,
    ...progress,
    load: async (ids) => {
      if (insertsOnly) {
        return new Map();
      }
      const found: Document[] = await documents.find({ _id: { $in: ids } }, { projection }).toArray();
      const isModel = (document: Document): document is Model => document['_id'] !== metaId;
      return new Map(found.filter(isModel).map((document) => [document._id, document]));
    },
    write: (changes) => writeAll(changes, toWrite, insertsOnly ? 'written' : 'conflict'),
    loadFences: async (ids) => {
      const found = ids.length === 0 ? [] : await fences.find({ _id: { $in: [...ids] } }).toArray();
      return new Map(found.map((document) => [document._id, document]));
    },
    writeFences: (changes) => writeAll(changes, (change) => writeOf(change, []), 'conflict'),
  };
}
