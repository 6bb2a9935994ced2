import { setTimeout as pause } from 'node:timers/promises';

import type { Db } from 'mongodb';

import { countedStatuses, countersPrefix, entryPrefix } from '../models/documents.js';
import type { EntryDocument, EventDocument } from '../models/documents.js';
import { canonicalText } from './canonicalDocument.js';
import {
  counterDifferences,
  type DerivedDifference,
  type GenerationSnapshot as Snapshot,
} from './counterDifferences.js';
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
type Step = (snapshot: Snapshot, after: string) => Promise<StepResult>;

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
async function eventsStep({ database, generation, session }: Snapshot, after: string): Promise<StepResult> {
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
async function entriesStep({ database, generation, session }: Snapshot, after: string): Promise<StepResult> {
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
async function countersStep(snapshot: Snapshot, after: string): Promise<StepResult> {
  const webhook = await nextWebhook(snapshot, after);
  return {
    differences: webhook === null ? [] : await counterDifferences(snapshot, webhook),
    // In ASCII, `0` follows `/`.
    next: webhook === null ? null : `${webhook}0`,
  };
}

/** The next `<account>/<webhook>` with an entry or counters. */
async function nextWebhook(
  { database, generation, session }: Snapshot,
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
