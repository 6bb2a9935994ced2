import { setImmediate as endOfTurn } from 'node:timers/promises';

import type { Db, Document } from 'mongodb';

import { inParallel } from '../../concurrency/inParallel.js';
import { createTimeSlices } from '../../concurrency/timeSlices.js';
import type { EntriesOf } from '../entries/deliveryEntries.js';
import { changesEntries, entryOperations, type EntryChange } from '../entries/entryChanges.js';
import { inTransaction, isWriteConflict } from '../entries/transaction.js';
import { insertOf, isDuplicateAlone, writeOf, type DocumentChange } from '../models/documentWrites.js';
import type { ModelDocument } from '../models/documents.js';
import type { FenceDocument } from '../models/fences.js';
import { metaId, type MetaDocument } from '../models/generations.js';
import { createGenerationProgress, type GenerationProgress } from './generationProgress.js';
import { rejectionOf } from './rejectedDocuments.js';

/** The storage options of a read model. */
export interface ModelStorage<Model extends ModelDocument> {
  /** The fields that no fold reads, and that are too large to load for each batch. */
  readonly unreadFields?: readonly (keyof Model & string)[];
  /** The fields whose entries are written one by one, so that an unchanged entry is not sent to MongoDB again. */
  readonly fieldsOfEntries?: readonly (keyof Model & string)[];
  /**
   * Whether a document never changes after its first record. If so, no fold loads documents, an existing document stays
   * unchanged, and `positions` stays empty. Positions of documents that never change would depend on the ends of
   * batches.
   */
  readonly insertsOnly?: boolean;
  /**
   * Derives the entries of a document. Entries and their counters are written in the transaction that writes the
   * document. A document without entries before and after a fold needs no transaction.
   */
  readonly entriesOf?: EntriesOf<Model>;
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

/**
 * The number of documents in one transaction, which has about 30 MB with the largest events. One document may have a
 * hundred entries, and each entry may change its own counters. So the writes of a transaction are limited too.
 */
const documentsPerTransaction = 100;
const writesPerTransaction = 2000;

/**
 * The number of documents in one command without a transaction. The driver builds and encodes a command in one turn of
 * the event loop. While the database executes one command, the process prepares the next.
 */
const documentsPerCommand = 250;
const commandsAtOnce = 2;

/** @param name the name of a generation that the alias lists */
export function openGeneration<Model extends ModelDocument>(
  database: Db,
  name: string,
  { unreadFields = [], fieldsOfEntries = [], insertsOnly = false, entriesOf }: ModelStorage<Model>,
): ModelGeneration<Model> {
  const documents = database.collection<ModelDocument>(name);
  const progress = createGenerationProgress(database.collection<MetaDocument>(name));
  const toWrite = (change: DocumentChange<ModelDocument>) =>
    insertsOnly ? insertOf({ ...change.after, positions: {} }) : writeOf(change, fieldsOfEntries);
  const projection = Object.fromEntries(unreadFields.map((field) => [field, 0]));
  const fences = database.collection<FenceDocument>(name);

  const writeSome = async (
    changes: readonly DocumentChange<ModelDocument>[],
    operationOf: typeof toWrite,
    ifExists: 'written' | 'conflict',
  ) => {
    try {
      const result = await documents.bulkWrite(changes.map(operationOf), { ordered: false });
      return result.matchedCount === updatesOf(changes) ? 'written' : 'conflict';
    } catch (error) {
      if (isDuplicateAlone(error)) {
        return ifExists;
      }
      throw rejectionOf(error) ?? error;
    }
  };

  /**
   * Writes all changed documents of a fold.
   * @param ifExists the result if an inserted document exists already
   */
  const writeAll = async (
    changes: readonly DocumentChange<ModelDocument>[],
    operationOf: typeof toWrite,
    ifExists: 'written' | 'conflict',
  ): Promise<'written' | 'conflict'> => {
    const results = new Set<'written' | 'conflict'>();
    const parts = partsOf(changes);
    await inParallel(parts, commandsAtOnce, async (part) => {
      // Other work of the process, such as an answer to a probe of readiness, comes between two commands.
      await (changes.length > documentsPerCommand ? endOfTurn() : null);
      try {
        results.add(await writeSome(part, operationOf, ifExists));
      } catch (error) {
        // The whole fold is repeated. In an outage, each further part would wait for the database first.
        parts.return();
        throw error;
      }
    });
    return results.has('conflict') ? 'conflict' : 'written';
  };

  /** Writes documents with the changes of their entries, all or nothing. */
  const writeWithEntries = async (changes: readonly ChangeWithEntries[]) => {
    try {
      const isWritten = await inTransaction(database, async (session) => {
        const result = await documents.bulkWrite(
          changes.map(({ change }) => toWrite(change)),
          { session, ordered: false },
        );
        if (result.matchedCount !== updatesOf(changes.map(({ change }) => change))) {
          return false;
        }
        await documents.bulkWrite([...entryOperations(changes.map(({ entries }) => entries))], {
          session,
          ordered: false,
        });
        return true;
      });
      return isWritten ? 'written' : 'conflict';
    } catch (error) {
      if (isDuplicateAlone(error) || isWriteConflict(error)) {
        return 'conflict';
      }
      throw rejectionOf(error) ?? error;
    }
  };

  const writeModel = async (
    changes: readonly DocumentChange<Model>[],
    derive: EntriesOf<Model>,
  ): Promise<'written' | 'conflict'> => {
    const plain: DocumentChange<Model>[] = [];
    const counted: ChangeWithEntries[] = [];
    for (const change of changes) {
      const entries = {
        before: change.before === null ? [] : derive(change.before),
        after: derive(change.after),
      };
      if (changesEntries(entries)) {
        counted.push({ change, entries });
      } else {
        plain.push(change);
      }
    }
    let result = await writeAll(plain, toWrite, 'conflict');
    for (const some of transactionsOf(counted)) {
      result = result === 'written' ? await writeWithEntries(some) : result;
    }
    return result;
  };

  return {
    name,
    ...progress,
    load: async (ids) => {
      if (insertsOnly) {
        return new Map();
      }
      const isModel = (document: Document): document is Model => document['_id'] !== metaId;
      const found = new Map<string, Model>();
      const slices = createTimeSlices();
      for await (const document of documents.find<Document>({ _id: { $in: ids } }, { projection })) {
        if (isModel(document)) {
          found.set(document._id, document);
        }
        // The driver decodes thousands of documents without a pause.
        if (slices.isOver()) {
          await slices.next();
        }
      }
      return found;
    },
    write: (changes) =>
      entriesOf === undefined
        ? writeAll(changes, toWrite, insertsOnly ? 'written' : 'conflict')
        : writeModel(changes, entriesOf),
    loadFences: async (ids) => {
      const found = ids.length === 0 ? [] : await fences.find({ _id: { $in: [...ids] } }).toArray();
      return new Map(found.map((document) => [document._id, document]));
    },
    writeFences: (changes) => writeAll(changes, (change) => writeOf(change, []), 'conflict'),
  };
}

/** The parts of changes that are written with one command each. */
function* partsOf<Change>(changes: readonly Change[]): Generator<readonly Change[], void> {
  for (let from = 0; from < changes.length; from += documentsPerCommand) {
    yield changes.slice(from, from + documentsPerCommand);
  }
}

export interface ChangeWithEntries {
  readonly change: DocumentChange<ModelDocument>;
  readonly entries: EntryChange;
}

/**
 * Divides changes into transactions. A document and all its entries are in one transaction, so one document may exceed
 * the limit of writes.
 */
export function transactionsOf(
  changes: readonly ChangeWithEntries[],
): readonly (readonly ChangeWithEntries[])[] {
  const transactions: ChangeWithEntries[][] = [];
  let writes = Infinity;
  for (const change of changes) {
    const current = transactions.at(-1);
    const more = writesOf(change.entries);
    const isFull = writes + more > writesPerTransaction || (current?.length ?? 0) >= documentsPerTransaction;
    if (current === undefined || isFull) {
      transactions.push([change]);
      writes = more;
    } else {
      current.push(change);
      writes += more;
    }
  }
  return transactions;
}

/** The most writes of a changed document: the document, and each of its entries with counters. */
function writesOf({ before, after }: EntryChange): number {
  return 1 + 2 * Math.max(before.length, after.length);
}

function updatesOf(changes: readonly DocumentChange<ModelDocument>[]): number {
  return changes.filter(({ before }) => before !== null).length;
}
