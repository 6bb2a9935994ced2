import { setTimeout as pause } from 'node:timers/promises';

import type { Db, ClientSession, Document } from 'mongodb';

import {
  countedStatuses,
  countersPrefix,
  entryPrefix,
  type EntryDocument,
  type EventDocument,
  countersIdOf,
  type CountersDocument,
} from '../models/documents.js';
import { canonicalText } from './canonicalDocument.js';
import { entriesOf } from './deliveryEntries.js';

/** Events of one page: an event has up to a hundred webhooks, so up to this many times a hundred entries. */
const eventsPerPage = 100;
const entriesPerPage = 1000;
/**
 * How often a page is read before its differences count. The erasure of an account removes documents one after the other,
 * so a page may differ meanwhile.
 */
const strikes = 3;
const defaultPauseMs = 500;
/** After this many differences, a page is read once: the entries have another fault, and the check must end. */
const patientDifferences = 100;

/**
 * Compares all entries of a generation with its events, and all counters with the entries. The documents, the entries
 * and the counters of a comparison are of one moment, so writes during the check cause no difference. The memory is
 * bounded by one page, and by the numbers of one webhook.
 * @param pauseMs milliseconds before a page that differs is read again
 */
export async function* derivedDifferences(
  database: Db,
  generation: string,
  pauseMs = defaultPauseMs,
): AsyncGenerator<DerivedDifference> {
  const steps = [eventsStep, entriesStep, countersStep];
  let found = 0;
  for (const step of steps) {
    for (let after: string | null = ''; after !== null;) {
      const reads = found < patientDifferences ? strikes : 1;
      const page: StepResult = await settled({ database, generation, step, after, pauseMs }, reads);
      yield* page.differences;
      found += page.differences.length;
      after = page.next;
    }
  }
}

interface StepResult {
  readonly differences: readonly DerivedDifference[];
  /** Null after the last page. */
  readonly next: string | null;
}

/** Reads and compares one page. */
type Step = (snapshot: GenerationSnapshot, after: string) => Promise<StepResult>;

interface Page {
  readonly database: Db;
  readonly generation: string;
  readonly step: Step;
  readonly after: string;
  readonly pauseMs: number;
}

async function settled(
  { database, generation, step, after, pauseMs }: Page,
  maximumReads: number,
): Promise<StepResult> {
  for (let reads = 1; ; reads += 1) {
    const result = await database.client.withSession({ snapshot: true }, (session) =>
      step({ database, generation, session }, after),
    );
    if (result.differences.length === 0 || reads >= maximumReads) {
      return result;
    }
    await pause(pauseMs);
  }
}

const fieldsOfEntries = ['accountId', 'mode', 'created', 'onlyWebhookId', 'tenantId', 'source', 'deliveries'];
const entryFields = Object.fromEntries(fieldsOfEntries.map((name) => [name, 1]));

/** The entries that events have. */
async function eventsStep(
  { database, generation, session }: GenerationSnapshot,
  after: string,
): Promise<StepResult> {
  const events = await database
    .collection<EventDocument>(generation)
    .find(
      { _id: { $gt: after }, 'deliveries.status': { $in: countedStatuses } },
      { session, projection: entryFields },
    )
    .sort({ _id: 1 })
    .limit(eventsPerPage)
    .toArray();
  const derived = events.flatMap(entriesOf);
  const ids = derived.map(({ _id }) => _id);
  const entries = await database
    .collection<EntryDocument>(generation)
    .find({ _id: { $in: ids } }, { session })
    .toArray();
  const stored = new Map(entries.map((entry) => [entry._id, entry]));
  return {
    differences: derived.flatMap((entry) => differenceOf(entry, stored.get(entry._id))),
    next: events.length < eventsPerPage ? null : (events.at(-1)?._id ?? null),
  };
}

function differenceOf(entry: EntryDocument, stored: EntryDocument | undefined): readonly DerivedDifference[] {
  if (stored === undefined) {
    return [{ id: entry._id, difference: 'missing from the read model' }];
  }
  return canonicalText(entry) === canonicalText(stored)
    ? []
    : [{ id: entry._id, difference: 'differs from the delivery of its event' }];
}

/** The entries that no event has. */
async function entriesStep(
  { database, generation, session }: GenerationSnapshot,
  after: string,
): Promise<StepResult> {
  const entries = await database
    .collection<EntryDocument>(generation)
    .find({ _id: { $gt: entryPrefix + after, $lt: endOf(entryPrefix) } }, { session })
    .sort({ _id: 1 })
    .limit(entriesPerPage)
    .toArray();
  const eventIds = [...new Set(entries.map(({ entry }) => entry.eventId))];
  const events = await database
    .collection<EventDocument>(generation)
    .find({ _id: { $in: eventIds } }, { session, projection: entryFields })
    .toArray();
  const derived = new Set(events.flatMap(entriesOf).map(({ _id }) => _id));
  return {
    differences: entries
      .filter(({ _id }) => !derived.has(_id))
      .map(({ _id: id }) => ({ id, difference: 'belongs to no event' })),
    next: entries.length < entriesPerPage ? null : (entries.at(-1)?._id.slice(entryPrefix.length) ?? null),
  };
}

/** The counters of the next webhook. */
async function countersStep(snapshot: GenerationSnapshot, after: string): Promise<StepResult> {
  const webhook = await nextWebhook(snapshot, after);
  return {
    differences: webhook === null ? [] : await counterDifferences(snapshot, webhook),
    // In ASCII, `0` follows `/`.
    next: webhook === null ? null : `${webhook}0`,
  };
}

/** The next `<account>/<webhook>` with an entry or counters. */
async function nextWebhook(
  { database, generation, session }: GenerationSnapshot,
  after: string,
): Promise<string | null> {
  const webhooks: string[] = [];
  for (const prefix of [entryPrefix, countersPrefix]) {
    const first = await database
      .collection<EntryDocument>(generation)
      .findOne(
        { _id: { $gt: `${prefix}${after}`, $lt: endOf(prefix) } },
        { session, sort: { _id: 1 }, projection: { _id: 1 } },
      );
    const [, accountId, webhookId] = first?._id.split('/') ?? [];
    webhooks.push(
      ...(accountId === undefined || webhookId === undefined ? [] : [`${accountId}/${webhookId}`]),
    );
  }
  return webhooks.sort()[0] ?? null;
}

/** The id behind all ids with a prefix that ends in `/`. */
function endOf(prefix: string): string {
  return `${prefix.slice(0, -1)}0`;
}

/** Reads of one generation that all see the same moment. */
interface GenerationSnapshot {
  readonly database: Db;
  readonly generation: string;
  readonly session: ClientSession;
}

/** An entry or a counters document that differs from what the documents of its generation give. */
interface DerivedDifference {
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
async function counterDifferences(
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
