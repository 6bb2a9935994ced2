import type { Db, Document } from 'mongodb';

import { insertOf, isDuplicateAlone, writeOf, type DocumentChange } from '../models/documentWrites.js';
import type { ModelDocument } from '../models/documents.js';
import type { FenceDocument } from '../models/fences.js';
import { createGenerationProgress, type GenerationProgress } from './generationProgress.js';
import { metaId, type MetaDocument } from '../models/generations.js';
import { rejectionOf } from './rejectedDocuments.js';

/** What the writing of a model may leave out. */
export interface ModelStorage<Model extends ModelDocument> {
  /** Fields that no fold looks at and that are too large to load for each batch. */
  readonly unreadFields: readonly (keyof Model & string)[];
  /** Fields whose entries are written one by one: where one of many changes, the others are not sent again. */
  readonly fieldsOfEntries?: readonly (keyof Model & string)[];
  /**
   * Whether a document is as its first record makes it, for ever. Then none is loaded, one that is there stays, and
   * `positions` is left empty: it would depend on where batches ended.
   */
  readonly insertsOnly?: boolean;
}

/** One collection that a model is folded into. It is emptied or dropped only as a whole. */
export interface ModelGeneration<Model extends ModelDocument> extends GenerationProgress {
  /** Of the collection: no other generation ever has it. */
  readonly name: string;
  load: (ids: readonly string[]) => Promise<ReadonlyMap<string, Model>>;
  /** The fences with these ids. They are loaded and written in every model, also in one that only inserts. */
  loadFences: (ids: readonly string[]) => Promise<ReadonlyMap<string, FenceDocument>>;
  writeFences: (changes: readonly DocumentChange<FenceDocument>[]) => Promise<'written' | 'conflict'>;
  /**
   * Writes each document on condition that its positions are still those that were loaded.
   * @returns `conflict` where another process was faster with at least one: load and fold again
   * @throws RejectedDocumentsError if a document is rejected, and will be rejected however often it is written
   */
  write: (changes: readonly DocumentChange<Model>[]) => Promise<'written' | 'conflict'>;
}

/** @param name of a generation that an alias lists */
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

  /** @param whenThere what it means if a document to be inserted is there already */
  const writeAll = async (
    changes: readonly DocumentChange<ModelDocument>[],
    operationOf: typeof toWrite,
    whenThere: 'written' | 'conflict',
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
        return whenThere;
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
