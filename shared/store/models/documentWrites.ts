import { MongoBulkWriteError, type AnyBulkWriteOperation } from 'mongodb';

import type { ModelDocument } from './documents.js';

/** A document before and after a batch. `before` is null where there was none. */
export interface DocumentChange<Model extends ModelDocument> {
  readonly before: Model | null;
  readonly after: Model;
}

export const duplicateKey = 11_000;

/** Whether nothing went wrong but that documents with these ids are there already. */
export function isDuplicateAlone(error: unknown): boolean {
  return (
    error instanceof MongoBulkWriteError &&
    error.code === duplicateKey &&
    error.result.getWriteErrors().every(({ code }) => code === duplicateKey)
  );
}

export function insertOf(document: ModelDocument): AnyBulkWriteOperation<ModelDocument> {
  return { insertOne: { document } };
}

/**
 * Only what changed is written: an event's data is not sent again for each of its deliveries. What is gone is removed, so
 * that a document does not depend on where batches ended.
 */
export function writeOf(
  { before, after }: DocumentChange<ModelDocument>,
  fieldsOfEntries: readonly string[],
): AnyBulkWriteOperation<ModelDocument> {
  if (before === null) {
    return insertOf(after);
  }
  const old = new Map<string, unknown>(Object.entries(before));
  const changed = Object.entries(after)
    .filter(([field, value]) => old.get(field) !== value)
    .flatMap(([field, value]: [string, unknown]) =>
      fieldsOfEntries.includes(field)
        ? changedEntries(field, old.get(field), value)
        : [[field, value] as const],
    );
  const gone = Object.keys(before).filter((field) => !Object.hasOwn(after, field));
  return {
    updateOne: {
      filter: { _id: before._id, positions: before.positions },
      update: {
        $set: Object.fromEntries(changed),
        ...(gone.length > 0 && { $unset: Object.fromEntries(gone.map((field) => [field, ''])) }),
      },
    },
  };
}

/** The entries of a field that are new or others, each with its path. Entries are never removed. */
function changedEntries(field: string, before: unknown, after: unknown): (readonly [string, unknown])[] {
  const old = new Map<string, unknown>(Object.entries(before ?? {}));
  return Object.entries(after ?? {})
    .filter(([name, value]) => old.get(name) !== value)
    .map(([name, value]: [string, unknown]) => [`${field}.${name}`, value] as const);
}
