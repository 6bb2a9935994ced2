import { setTimeout as pause } from 'node:timers/promises';

import { derivedDifferences } from '../../shared/store/entries/derivedDifferences.js';
import { endOffsetsOf } from '../../shared/store/generations/endOffsets.js';
import { createGenerationReader } from '../../shared/store/generations/generationReader.js';
import { isReached } from '../../shared/store/models/generations.js';
import type { ModelName } from '../../shared/store/models/modelDefinitions.js';
import type { Stores } from '../environment/stores.js';
import { CommandFailure } from '../terminal/output.js';
import {
  createComparison,
  type ComparedGeneration,
  type ComparisonTotals,
  createHasExpired,
} from './documentComparison.js';
import { recordsBelow, type ReportProgress } from './rebuildProgress.js';
import { recheckDifferences } from './recheckDifferences.js';
import { startBuilding } from './startBuilding.js';

export interface CheckedModel extends ComparisonTotals {
  readonly model: ModelName;
}

export interface CheckOptions {
  readonly report: ReportProgress;
  /** The age at which events are removed, in milliseconds, or null if events are never removed. */
  readonly expiryMs: number | null;
}

const pollMs = 100;
const signIntervalMs = 5000;
/**
 * The log may grow while the check reads it. The check therefore reads to the end of the log again, until one such pass
 * takes less than this time, at most `maximumApproaches` times.
 */
const closeMs = 3000;
const maximumApproaches = 5;
/**
 * The largest number of documents to recheck. The check holds the ids of these documents in memory, and a larger number
 * indicates another fault.
 */
const maximumCandidates = 1_000_000;
const dropLimitMs = 20_000;

/**
 * Builds a second generation of a read model, and compares each document of both generations at equal positions. The
 * entries and counters of the live generation are compared with its own documents. The second generation is dropped afterwards, even after a failure. If the process is killed, the projections drop the
 * generation half a minute later.
 */
export async function checkModel(
  stores: Stores,
  model: ModelName,
  { report, expiryMs }: CheckOptions,
): Promise<CheckedModel> {
  const rebuilt = await startBuilding(stores, model, 'check');
  const sign = setInterval(() => {
    void stores.aliases.seen(model, rebuilt).catch(() => undefined);
  }, signIntervalMs);
  try {
    return { model, ...(await compare(stores, model, { rebuilt, report, expiryMs })) };
  } finally {
    clearInterval(sign);
    await drop(stores, model, rebuilt);
  }
}

interface Reported {
  readonly rebuilt: string;
  readonly report: ReportProgress;
}

type Compared = Reported & CheckOptions;

async function compare(
  stores: Stores,
  model: ModelName,
  { rebuilt, report, expiryMs }: Compared,
): Promise<ComparisonTotals> {
  const compared = await createCompared(stores, model, { rebuilt, report });
  await approachEnd(stores, model, compared.buildTo);
  const reader = createGenerationReader(stores.mongo.database);
  const comparison = createComparison(createHasExpired(model, expiryMs, new Date()));
  const candidates: string[] = [];
  const total = await stores.generations.countOf(rebuilt);
  let done = 0;
  for await (const pair of reader.pairs(compared.live, rebuilt)) {
    done += 1;
    report({ model, step: 'comparing', done, total });
    if (!comparison.addEqual(pair) && candidates.push(pair.id) > maximumCandidates) {
      throw new CommandFailure(
        `More than ${maximumCandidates} documents of the read model ${model} differ from the log. ` +
          `Run "postrider rebuild ${model}" to fix them.`,
      );
    }
  }
  await recheckDifferences({ reader, comparison, compared }, candidates);
  if (model === 'events') {
    for await (const difference of derivedDifferences(stores.mongo.database, compared.live)) {
      comparison.addDerived(difference);
    }
  }
  return comparison.totals();
}

async function createCompared(
  { aliases, generations }: Stores,
  model: ModelName,
  { rebuilt, report }: Reported,
): Promise<ComparedGeneration> {
  const { live } = (await aliases.find(model)) ?? gone(model);
  const positionsOf = async (generation: string) =>
    (await generations.metaOf(generation))?.positions ?? gone(model);
  return {
    live,
    rebuilt,
    buildTo: async (positions) => {
      if (!(await aliases.buildUntil(model, rebuilt, positions))) {
        gone(model);
      }
      for (;;) {
        const [done, liveDone] = await Promise.all([positionsOf(rebuilt), positionsOf(live)]);
        report({ model, step: 'building', done: recordsBelow(done), total: recordsBelow(positions) });
        if (isReached(done, positions) && isReached(liveDone, positions)) {
          return;
        }
        await pause(pollMs);
      }
    },
  };
}

async function approachEnd(
  { offsets }: Stores,
  model: ModelName,
  buildTo: ComparedGeneration['buildTo'],
): Promise<void> {
  for (let approach = 1; approach <= maximumApproaches; approach += 1) {
    const startedAt = performance.now();
    await buildTo(await endOffsetsOf(offsets, model));
    if (performance.now() - startedAt < closeMs) {
      return;
    }
  }
}

function gone(model: ModelName): never {
  throw new CommandFailure(
    `The check of ${model} was canceled, because its documents were deleted meanwhile. Run the command again.`,
  );
}

/**
 * Drops a generation and its consumer group. The members of the consumer group leave it within about two seconds. The
 * next rebuild drops a generation or group that remains after the time limit.
 */
async function drop({ aliases, endedGenerations }: Stores, model: ModelName, rebuilt: string): Promise<void> {
  const deadline = performance.now() + dropLimitMs;
  await aliases.unlist(model, rebuilt);
  while (!(await endedGenerations.drop(model, [rebuilt])) && performance.now() < deadline) {
    await pause(pollMs);
  }
}
