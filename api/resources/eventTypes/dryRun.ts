import { createFairSemaphore, type FairSemaphore } from '../../../shared/concurrency/fairSemaphore.js';
import { UnavailableError } from '../../../shared/core/errors.js';
import type { Mode } from '../../../shared/domain/core/fact.js';
import { fromBinary } from '../../../shared/store/client/binary.js';
import type { EventDocument } from '../../../shared/store/models/documents.js';
import { eventIndexes } from '../../../shared/store/models/indexes.js';
import { documentsPerBatch } from '../../../shared/store/models/readQueries.js';
import { waitForEnds, type ModelAndLog } from '../../../shared/store/models/modelProgress.js';
import type { ReadModels } from '../../../shared/store/models/readModels.js';
import type { KeyedSchema } from '../../eventTypes/worker/schemaThread.js';
import type { SchemaWorkers } from '../../eventTypes/worker/schemaWorkers.js';
import { accountFilter } from '../../http/ownership.js';
import { rangesOf, type ListPosition } from '../../http/paging.js';

type CheckResult = Awaited<ReturnType<SchemaWorkers['checkSome']>>[number];

export interface InvalidSample {
  readonly eventId: string;
  readonly param: string;
  readonly message: string;
}

export interface DryRunResult {
  readonly checked: number;
  /** The events that `reject` would reject, which include events that are too complex. */
  readonly invalid: number;
  /** The newest invalid events, at most 20. */
  readonly samples: readonly InvalidSample[];
  /** Whether all of the newest 10,000 events were checked in time. */
  readonly complete: boolean;
}

export interface DryRunRequest {
  readonly accountId: string;
  readonly mode: Mode;
  readonly name: string;
  readonly schema: KeyedSchema;
}

/**
 * Checks the newest stored events of a type with a schema, and changes nothing.
 * @throws UnavailableError if the worker or the read model is unavailable, or if the account has another dry run
 */
export type DryRun = (request: DryRunRequest) => Promise<DryRunResult>;

/** The progress is that of the read model `events`. */
export interface DryRunDependencies extends ModelAndLog {
  readonly events: Pick<ReadModels['events'], 'findListPage'>;
  readonly workers: Pick<SchemaWorkers, 'checkSome'>;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
}

const maximumCheckedEvents = 10_000;
const maximumSamples = 20;
const timeLimitMs = 20_000;
const modelTimeoutMs = 5000;
/** The limits of one job of the worker, which yields to other jobs between two jobs. */
const eventsOfJob = 100;
const bytesOfJob = 1024 * 1024;

const tooComplex = 'The event is too complex to be checked.';

export function createDryRun(dependencies: DryRunDependencies): DryRun {
  const semaphore = createDryRunSemaphore();

  const run = async (request: DryRunRequest): Promise<DryRunResult> => {
    await waitForEnds(dependencies, { model: 'events', topic: 'events', timeoutMs: modelTimeoutMs });
    return checkEvents(dependencies, request);
  };

  return (request) => semaphore.run(request.accountId, () => run(request));
}

/** A dry run occupies memory and the worker, so a process runs two of them, and one of an account. */
function createDryRunSemaphore(): FairSemaphore {
  return createFairSemaphore({
    slots: 2,
    slotsOfKey: 1,
    maximumWaiting: 20,
    maximumWaitingOfKey: 0,
    maximumWaitMs: 2000,
    overload: 'another dry run is in progress',
    retryAfterSeconds: 2,
  });
}

/** Checks events, the newest first, until the number of events or the time limit is reached. */
async function checkEvents(
  { events, workers, now }: DryRunDependencies,
  request: DryRunRequest,
): Promise<DryRunResult> {
  const { accountId, mode, name } = request;
  const deadline = now() + timeLimitMs;
  const filter = { ...accountFilter({ accountId, mode }), type: name };
  let place: ListPosition | null = null;
  let bytesRead = 0;
  let result: DryRunResult = { checked: 0, invalid: 0, samples: [], complete: true };
  for (;;) {
    const page = await events.findListPage({
      ranges: rangesOf(filter, { direction: 'older', place }),
      limit: Math.min(eventsOfJob, maximumCheckedEvents - result.checked),
      index: eventIndexes.byType.key,
      projection: { data: 1, created: 1 },
      maximumBytes: bytesOfJob,
      batchSize: batchSizeFor(bytesRead, result.checked),
      share: accountId,
    });
    const data = page.documents.map(dataOf);
    const checked = await checkUntil(deadline, { workers, now }, { request, data });
    bytesRead += data.reduce((sum, { length }) => sum + length, 0);
    result = withResults(result, page.documents, checked);
    place = positionOf(page.documents) ?? place;
    if (checked.length < data.length) {
      return { ...result, complete: false };
    }
    if (!page.hasMore || result.checked >= maximumCheckedEvents) {
      return result;
    }
  }
}

/** The results of the first events: of all of them, unless the time limit is reached. */
async function checkUntil(
  deadline: number,
  { workers, now }: Pick<DryRunDependencies, 'workers' | 'now'>,
  { request, data }: { readonly request: DryRunRequest; readonly data: readonly Buffer[] },
): Promise<readonly CheckResult[]> {
  const { accountId, schema } = request;
  const results: CheckResult[] = [];
  while (results.length < data.length && now() < deadline) {
    try {
      // A timer may fire a millisecond early.
      const maximumWaitMs = Math.ceil(deadline - now()) + 1;
      results.push(
        ...(await workers.checkSome(accountId, schema, data.slice(results.length), maximumWaitMs)),
      );
    } catch (error) {
      if (!(error instanceof UnavailableError) || now() < deadline) {
        throw error;
      }
    }
  }
  return results;
}

/**
 * The number of documents that MongoDB sends at once. Without an estimate of their size, a page of large events would be
 * sent many times its size.
 */
function batchSizeFor(bytesRead: number, checked: number): number {
  const mean = checked === 0 ? bytesOfJob / documentsPerBatch : bytesRead / checked;
  return Math.min(eventsOfJob, Math.max(documentsPerBatch, Math.ceil(bytesOfJob / (mean + 1))));
}

function dataOf({ data }: EventDocument): Buffer {
  return data === undefined ? Buffer.from('{}') : fromBinary(data);
}

function positionOf(documents: readonly EventDocument[]): ListPosition | null {
  const last = documents.at(-1);
  return last?.created === undefined ? null : { id: last._id, created: last.created };
}

function withResults(
  before: DryRunResult,
  documents: readonly EventDocument[],
  results: readonly CheckResult[],
): DryRunResult {
  const invalid = results.flatMap((result, index) => sampleOf(result, documents[index]?._id ?? ''));
  return {
    ...before,
    checked: before.checked + results.length,
    invalid: before.invalid + invalid.length,
    samples: [...before.samples, ...invalid].slice(0, maximumSamples),
  };
}

function sampleOf(result: CheckResult, eventId: string): readonly InvalidSample[] {
  switch (result.status) {
    case 'valid':
      return [];
    case 'invalid':
      return [{ eventId, param: result.place, message: result.message }];
    case 'exhausted':
      return [{ eventId, param: 'data', message: tooComplex }];
  }
}
