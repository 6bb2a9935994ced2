import { MongoBulkWriteError, type AnyBulkWriteOperation } from 'mongodb';

import type { ModelDocument } from './documents.js';

/** A document before and after a fold. `before` is null for a new document. */
export interface DocumentChange<Model extends ModelDocument> {
  readonly before: Model | null;
  readonly after: Model;
}

export const duplicateKey = 11_000;

/** Whether all errors of a bulk write say that a document with the same id exists already. */
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
 * The update that writes only the changed fields of a document, so that an event's data is not sent again for each
 * delivery. The update removes missing fields, so that a document does not depend on the ends of batches.
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

/** The new or changed entries of a document's field, each with its path. A fold never removes an entry. */
function changedEntries(field: string, before: unknown, after: unknown): (readonly [string, unknown])[] {
  const old = new Map<string, unknown>(Object.entries(before ?? {}));
  return Object.entries(after ?? {})
    .filter(([name, value]) => old.get(name) !== value)
    .map(([name, value]: [string, unknown]) => [`${field}.${name}`, value] as const);
}
