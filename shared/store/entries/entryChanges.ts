import type { AnyBulkWriteOperation } from 'mongodb';

import { countersIdOf, type EntryDocument, type ModelDocument } from '../models/documents.js';

/** The entries of a document before and after a change. */
export interface EntryChange {
  readonly before: readonly EntryDocument[];
  readonly after: readonly EntryDocument[];
}

/** Whether a change of a document changes its entries. */
export function changesEntries({ before, after }: EntryChange): boolean {
  return (
    before.length !== after.length || after.some((entry) => !before.some((earlier) => isSame(earlier, entry)))
  );
}

/** Whether two entries are equal. A fold keeps the identity of unchanged deliveries. */
function isSame(one: EntryDocument, other: EntryDocument): boolean {
  return (
    one._id === other._id &&
    one.entry.delivery === other.entry.delivery &&
    one.entry.home === other.entry.home &&
    one.entry.offset === other.entry.offset
  );
}

/**
 * The writes of changed entries, and one increment for each counters document whose numbers change. All of them belong
 * into the transaction that writes the document.
 * @param options with `upsert: false`, counters that do not exist are not created
 */
export function entryOperations(
  changes: readonly EntryChange[],
  options: { readonly upsert: boolean } = { upsert: true },
): readonly AnyBulkWriteOperation<ModelDocument>[] {
  const increments = new Map<string, Increment>();
  const operations = changes.flatMap(({ before, after }): AnyBulkWriteOperation<ModelDocument>[] => {
    const kept = new Set(after.map(({ _id }) => _id));
    const gone = before.filter(({ _id }) => !kept.has(_id));
    const changed = after.filter((entry) => !before.some((earlier) => isSame(earlier, entry)));
    before.forEach((entry) => {
      count(increments, entry, -1);
    });
    after.forEach((entry) => {
      count(increments, entry, 1);
    });
    return [
      ...gone.map(({ _id }) => ({ deleteOne: { filter: { _id } } })),
      ...changed.map((entry) => ({
        replaceOne: { filter: { _id: entry._id }, replacement: entry, upsert: true },
      })),
    ];
  });
  return [
    ...operations,
    ...[...increments].flatMap(([id, increment]) => incrementOf(id, increment, options)),
  ];
}

/** The changes of one counters document, by the path of each number. */
interface Increment {
  readonly webhookId: string;
  readonly tenancy: string | undefined;
  readonly numbers: Map<string, number>;
}

function count(
  increments: Map<string, Increment>,
  { entry: { accountId, webhookId, home, failure, delivery } }: EntryDocument,
  change: 1 | -1,
): void {
  const id = countersIdOf(accountId, webhookId, home);
  const { numbers } = increments.get(id) ?? { numbers: new Map<string, number>() };
  increments.set(id, { webhookId, tenancy: delivery.tenancy, numbers });
  const paths = [
    `counters.${delivery.status}`,
    ...(delivery.parked === undefined ? [] : ['counters.parked']),
    ...(failure === undefined ? [] : [`counters.errors.${failure.slice(webhookId.length + 1)}`]),
  ];
  paths.forEach((path) => numbers.set(path, (numbers.get(path) ?? 0) + change));
}

function incrementOf(
  id: string,
  { webhookId, tenancy, numbers }: Increment,
  { upsert }: { readonly upsert: boolean },
): readonly AnyBulkWriteOperation<ModelDocument>[] {
  const $inc = Object.fromEntries([...numbers].filter(([, change]) => change !== 0));
  const $setOnInsert = {
    positions: {},
    'counters.webhookId': webhookId,
    ...(tenancy !== undefined && { 'counters.ofTenancy': tenancy }),
  };
  return Object.keys($inc).length === 0
    ? []
    : [{ updateOne: { filter: { _id: id }, update: { $inc, ...(upsert && { $setOnInsert }) }, upsert } }];
}
