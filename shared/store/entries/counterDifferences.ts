import type { ClientSession, Db, Document } from 'mongodb';

import { countersIdOf, countersPrefix, entryPrefix, type CountersDocument } from '../models/documents.js';

/** Reads of one generation that all see the same moment. */
export interface GenerationSnapshot {
  readonly database: Db;
  readonly generation: string;
  readonly session: ClientSession;
}

/** An entry or a counters document that differs from what the documents of its generation give. */
export interface DerivedDifference {
  readonly id: string;
  readonly difference: string;
}

/** The entries of one webhook that count under the same numbers. */
interface EntryGroup {
  readonly _id: {
    readonly home: number;
    readonly status: string;
    readonly failure?: string;
    readonly backlog?: string;
  };
  readonly count: number;
}

/** Numbers by their names, such as `failed` or `errors.http_status/500`. */
type Numbers = ReadonlyMap<string, number>;

const nothing: Numbers = new Map();

const groupKey = {
  home: '$entry.home',
  status: '$entry.delivery.status',
  failure: '$entry.failure',
  backlog: '$entry.backlog',
};

/**
 * Compares the counters of a webhook with a count of its entries. MongoDB counts, so the memory does not depend on the
 * number of entries.
 * @param webhook `<account>/<webhook>`
 */
export async function counterDifferences(
  { database, generation, session }: GenerationSnapshot,
  webhook: string,
): Promise<readonly DerivedDifference[]> {
  const documents = database.collection<CountersDocument>(generation);
  const pipeline: Document[] = [
    { $match: { _id: within(entryPrefix, webhook) } },
    { $group: { _id: groupKey, count: { $sum: 1 } } },
  ];
  const groups = await documents.aggregate<EntryGroup>(pipeline, { session }).toArray();
  const stored = await documents.find({ _id: within(countersPrefix, webhook) }, { session }).toArray();
  const expected = countedIn(groups, webhook);
  const counted = new Map(stored.map(({ _id, counters }) => [_id, numbersOf(counters)]));
  return [...new Set([...expected.keys(), ...counted.keys()])].sort().flatMap((id) => {
    const differences = differingNumbers(expected.get(id) ?? nothing, counted.get(id) ?? nothing);
    return differences.length === 0 ? [] : [{ id, difference: `counts ${differences.join(', ')}` }];
  });
}

/** The ids with a prefix and a webhook. In ASCII, `0` follows `/`. */
function within(prefix: string, webhook: string) {
  return { $gt: `${prefix}${webhook}/`, $lt: `${prefix}${webhook}0` };
}

/** The numbers of groups of entries, by the id of the counters document. */
function countedIn(groups: readonly EntryGroup[], webhook: string): ReadonlyMap<string, Numbers> {
  const [accountId = '', webhookId = ''] = webhook.split('/');
  const byId = new Map<string, Map<string, number>>();
  for (const { _id, count } of groups) {
    const id = countersIdOf(accountId, webhookId, _id.home);
    const numbers = byId.get(id) ?? new Map<string, number>();
    byId.set(id, numbers);
    for (const name of numbersWith(_id, webhookId)) {
      numbers.set(name, (numbers.get(name) ?? 0) + count);
    }
  }
  return byId;
}

/** The names of the numbers in which an entry counts. */
function numbersWith({ status, failure, backlog }: EntryGroup['_id'], webhookId: string): readonly string[] {
  const ofFailure = failure === undefined ? [] : [`errors.${failure.slice(webhookId.length + 1)}`];
  return [status, ...ofFailure, ...(backlog === undefined ? [] : ['parked'])];
}

function numbersOf({
  webhookId: _webhookId,
  ofTenancy: _tenancy,
  errors = {},
  ...statuses
}: CountersDocument['counters']): Numbers {
  const ofErrors = Object.entries(errors).map(([name, number]) => [`errors.${name}`, number] as const);
  return new Map([...Object.entries(statuses), ...ofErrors]);
}

function differingNumbers(expected: Numbers, counted: Numbers): readonly string[] {
  return [...new Set([...expected.keys(), ...counted.keys()])].sort().flatMap((name) => {
    const [right, stored] = [expected.get(name) ?? 0, counted.get(name) ?? 0];
    return right === stored ? [] : [`${stored} ${name} instead of ${right}`];
  });
}
