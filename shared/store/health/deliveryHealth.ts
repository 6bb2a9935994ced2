import type { Db, Document } from 'mongodb';

import { mapUnavailableErrors } from '../client/unavailableErrors.js';
import { countedStatuses, type CountersDocument } from '../models/documents.js';
import { createAliasCache, type AliasCache } from '../models/aliasCache.js';
import { createGenerationCache, modelUnavailable } from '../models/generationCache.js';
import { metaId, type MetaDocument } from '../models/generations.js';
import { eventIndexes } from '../models/indexes.js';
import { modelDefinitions } from '../models/modelDefinitions.js';
import { isMissingIndex } from '../models/readModels.js';
import {
  failedLast,
  firstFailuresOf,
  isLast,
  lastOutcomes,
  neverAttempted,
  type LastOutcomes,
  type WebhookVersion,
} from './lastAttempts.js';
import { dateOf, withSnapshot, type RunRead, type SnapshotReads } from './snapshotReads.js';

/** The deliveries of a webhook whose last attempt has the same error. */
export interface FailureGroup {
  readonly code: string;
  readonly statusCode: number | null;
  readonly count: number;
  /** The time of the first and of the last of these attempts; null if it is unknown, after a conversion. */
  readonly firstAt: Date | null;
  readonly lastAt: Date | null;
}

/**
 * The state of all deliveries of a webhook. The last attempts are those to its version: requests to an earlier URL, or
 * from before it was last enabled, say nothing about it.
 */
export interface WebhookDeliveries {
  /** The numbers of deliveries by status. */
  readonly counts: Readonly<Record<(typeof countedStatuses)[number], number>>;
  /** The most frequent errors first, at most 20. */
  readonly failures: readonly FailureGroup[];
  /** Whether the attempt whose record is last has failed. */
  readonly hasFailedLast: boolean;
  /** The first failed attempt that was recorded after the last success; null if the last attempt succeeded. */
  readonly firstFailureAt: Date | null;
  readonly lastFailureAt: Date | null;
  readonly lastSuccessAt: Date | null;
  readonly nextAttemptAt: Date | null;
  /** The time of the oldest event whose delivery is pending or retrying. */
  readonly oldestOpenEventAt: Date | null;
}

/** The meta documents of both models at the same moment. */
export interface HealthModels {
  readonly events: MetaDocument;
  readonly attempts: MetaDocument;
}

/** The deliveries of webhooks, and the meta documents of both models at the same moment. */
export interface DeliveryHealth extends HealthModels {
  readonly byWebhook: ReadonlyMap<string, WebhookDeliveries>;
}

/** The part of the deliveries that the totals of webhooks need. */
export type DeliveryState = Pick<WebhookDeliveries, 'counts' | 'hasFailedLast' | 'oldestOpenEventAt'>;

export interface DeliveryHealthReads {
  /**
   * Reads the deliveries of webhooks. All parts of the result are of one moment.
   * @throws UnavailableError if MongoDB is unavailable, or the model `events` or `attempts` is incomplete
   */
  read: (webhooks: readonly WebhookVersion[], run?: RunRead) => Promise<DeliveryHealth>;
  /**
   * Reads the states of any number of webhooks, page by page. All of them are of one moment.
   * @param use is called for each webhook
   * @throws UnavailableError in the same cases
   */
  readStates: <Version extends WebhookVersion>(
    pages: AsyncIterable<readonly Version[]>,
    use: (webhook: Version, state: DeliveryState) => void,
    run?: RunRead,
  ) => Promise<HealthModels>;
  /**
   * Reads only the progress of the models, which a caller can wait for.
   * @throws UnavailableError in the same cases
   */
  readModels: (run?: RunRead) => Promise<HealthModels>;
}

const maximumFailures = 20;

/** A read of two generations in one snapshot. */
interface Snapshot {
  readonly reads: SnapshotReads;
  readonly events: string;
  readonly attempts: string;
}

export function createDeliveryHealth(
  database: Db,
  aliasCache: AliasCache = createAliasCache(database),
): DeliveryHealthReads {
  const known = { database, aliasCache };
  const generationsOf = (model: 'events' | 'attempts') =>
    createGenerationCache(known, model, modelDefinitions[model].version);
  const [eventGenerations, attemptGenerations] = [generationsOf('events'), generationsOf('attempts')];

  const readSnapshot = async (
    snapshot: Snapshot,
    webhooks: readonly WebhookVersion[],
  ): Promise<DeliveryHealth> => {
    const webhookIds = webhooks.map(({ id }) => id);
    const models = await modelsOf(snapshot);
    const [counted, outcomes] = await Promise.all([
      countsOf(snapshot, webhookIds),
      lastOutcomes(snapshot, webhooks),
    ]);
    const [open, scheduled, failures, firstFailures] = await Promise.all([
      oldestOpenOf(snapshot, counted),
      nextAttemptsOf(snapshot, counted),
      failuresOf(snapshot, counted),
      firstFailuresOf(snapshot, webhooks, outcomes),
    ]);
    const deliveriesOf = (id: string): WebhookDeliveries => ({
      counts: counted.get(id)?.numbers ?? noDeliveries,
      failures: failures.get(id) ?? [],
      ...timesOf(outcomes.get(id) ?? neverAttempted),
      firstFailureAt: firstFailures.get(id) ?? null,
      nextAttemptAt: scheduled.get(id) ?? null,
      oldestOpenEventAt: open.get(id) ?? null,
    });
    return { byWebhook: new Map(webhookIds.map((id) => [id, deliveriesOf(id)])), ...models };
  };

  const inSnapshot = async <Result>(
    run: RunRead,
    work: (snapshot: Snapshot) => Promise<Result>,
  ): Promise<Result> => {
    const [events, attempts] = await Promise.all([eventGenerations.read(), attemptGenerations.read()]);
    const reading = withSnapshot(database, run, (reads) => work({ reads, events, attempts }));
    return mapUnavailableErrors(reading).catch((error: unknown) => {
      throw isMissingIndex(error) ? modelUnavailable('events') : error;
    });
  };

  return {
    read: (webhooks, run = runAtOnce) => inSnapshot(run, (snapshot) => readSnapshot(snapshot, webhooks)),
    readStates: (pages, use, run = runAtOnce) =>
      inSnapshot(run, async (snapshot) => {
        const models = await modelsOf(snapshot);
        for await (const page of pages) {
          const stateOf = await statesOf(snapshot, page);
          page.forEach((webhook) => {
            use(webhook, stateOf(webhook));
          });
        }
        return models;
      }),
    readModels: (run = runAtOnce) => inSnapshot(run, modelsOf),
  };
}

const runAtOnce: RunRead = (read) => read();

function timesOf({ succeeded, failed }: LastOutcomes) {
  return {
    hasFailedLast: isLast(failed, succeeded),
    lastFailureAt: failed?.at ?? null,
    lastSuccessAt: succeeded?.at ?? null,
  };
}

/** The states of the given webhooks. */
async function statesOf(
  snapshot: Snapshot,
  webhooks: readonly WebhookVersion[],
): Promise<(webhook: WebhookVersion) => DeliveryState> {
  const [counted, failed] = await Promise.all([
    countsOf(
      snapshot,
      webhooks.map(({ id }) => id),
    ),
    failedLast(snapshot, webhooks),
  ]);
  const open = await oldestOpenOf(snapshot, counted);
  return ({ id }) => ({
    counts: counted.get(id)?.numbers ?? noDeliveries,
    hasFailedLast: failed.has(id),
    oldestOpenEventAt: open.get(id) ?? null,
  });
}

/** The first read of a snapshot, which chooses its moment. */
async function modelsOf(snapshot: Snapshot): Promise<HealthModels> {
  const events = await metaOf(snapshot, 'events');
  return { events, attempts: await metaOf(snapshot, 'attempts') };
}

async function metaOf({ reads, ...names }: Snapshot, model: 'events' | 'attempts'): Promise<MetaDocument> {
  const [meta] = await reads.find({ name: names[model], index: { _id: 1 } }, { _id: metaId });
  if (meta === undefined || !isMeta(meta) || !meta.complete) {
    throw modelUnavailable(model);
  }
  return meta;
}

function isMeta(document: Document): document is MetaDocument {
  return document['_id'] === metaId;
}

interface Counted {
  readonly numbers: WebhookDeliveries['counts'];
  /** The numbers of deliveries by the error of their last attempt. */
  readonly errors: ReadonlyMap<string, number>;
}

const noDeliveries = { pending: 0, retrying: 0, failed: 0, canceled: 0 };

const anyCounted = countedStatuses.map((status) => ({ [`counters.${status}`]: { $gt: 0 } }));

/** The sums of the counters of each webhook. */
async function countsOf(
  { reads, events }: Snapshot,
  webhookIds: readonly string[],
): Promise<ReadonlyMap<string, Counted>> {
  // Most counters are zero, because nothing removes those of deliveries that were recovered.
  const filter = { 'counters.webhookId': { $in: webhookIds }, $or: anyCounted };
  const found = await reads.find({ name: events, index: eventIndexes.counters.key }, filter);
  const sums = new Map<
    string,
    { numbers: Record<keyof typeof noDeliveries, number>; errors: Map<string, number> }
  >();
  for (const { counters } of found.filter(isCounters)) {
    const sum = sums.get(counters.webhookId) ?? {
      numbers: { ...noDeliveries },
      errors: new Map<string, number>(),
    };
    sums.set(counters.webhookId, sum);
    for (const status of countedStatuses) {
      sum.numbers[status] += counters[status] ?? 0;
    }
    for (const [error, number] of Object.entries(counters.errors ?? {})) {
      sum.errors.set(error, (sum.errors.get(error) ?? 0) + number);
    }
  }
  return sums;
}

function isCounters(document: Document): document is CountersDocument {
  return document['counters'] !== undefined;
}

/** The time of the oldest event of each webhook with open deliveries. */
function oldestOpenOf({ reads, events }: Snapshot, counted: ReadonlyMap<string, Counted>) {
  return firstDates(reads, events, { index: eventIndexes.openEntries.key, values: withOpen(counted) });
}

/** The time of the next attempt of each webhook with open deliveries. */
function nextAttemptsOf({ reads, events }: Snapshot, counted: ReadonlyMap<string, Counted>) {
  return firstDates(reads, events, { index: eventIndexes.scheduledEntries.key, values: withOpen(counted) });
}

function withOpen(counted: ReadonlyMap<string, Counted>): readonly string[] {
  const found = [...counted].filter(([, { numbers }]) => numbers.pending + numbers.retrying > 0);
  return found.map(([id]) => id);
}

interface FirstDatesQuery {
  /** An index of a group and a time. */
  readonly index: Readonly<Record<string, 1>>;
  /** The values of the group. */
  readonly values: readonly string[];
  readonly isReversed?: boolean;
}

/** The first time of each group; the last time if the order is reversed. */
async function firstDates(
  reads: SnapshotReads,
  name: string,
  { index, values, isReversed = false }: FirstDatesQuery,
): Promise<ReadonlyMap<string, Date | null>> {
  const [group = '', time = ''] = Object.keys(index);
  const direction = isReversed ? -1 : 1;
  const firsts =
    values.length === 0
      ? []
      : await reads.firsts(
          { name, index },
          {
            filter: { [group]: { $in: values } },
            sort: { [group]: direction, [time]: direction },
            fields: { time },
          },
        );
  return new Map([...firsts].map(([value, first]) => [value, dateOf(first['time'])]));
}

/** The most frequent errors of each webhook. */
async function failuresOf(
  { reads, events }: Snapshot,
  counted: ReadonlyMap<string, Counted>,
): Promise<ReadonlyMap<string, readonly FailureGroup[]>> {
  const frequent = [...counted].map(([id, { errors }]) => [id, mostFrequent(errors)] as const);
  const values = frequent.flatMap(([id, errors]) => errors.map(([error]) => `${id}/${error}`));
  const { key: index } = eventIndexes.failures;
  const [firsts, lasts] = await Promise.all([
    firstDates(reads, events, { index, values }),
    firstDates(reads, events, { index, values, isReversed: true }),
  ]);
  return new Map(
    frequent.map(([id, errors]) => [
      id,
      errors.map(([error, number]) => ({
        ...failureOfKey(error),
        count: number,
        firstAt: firsts.get(`${id}/${error}`) ?? null,
        lastAt: lasts.get(`${id}/${error}`) ?? null,
      })),
    ]),
  );
}

/** The most frequent errors first. Errors with equal numbers are ordered by their text. */
function mostFrequent(errors: ReadonlyMap<string, number>): readonly (readonly [string, number])[] {
  return [...errors]
    .filter(([, number]) => number > 0)
    .toSorted(([one, count], [other, otherCount]) => otherCount - count || (one < other ? -1 : 1))
    .slice(0, maximumFailures);
}

function failureOfKey(key: string): Pick<FailureGroup, 'code' | 'statusCode'> {
  const [code = '', statusCode = '-'] = key.split('/');
  return { code, statusCode: statusCode === '-' ? null : Number(statusCode) };
}
