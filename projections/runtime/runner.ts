import { setImmediate as endOfTurn, setTimeout as pause } from 'node:timers/promises';

import { onAlignedInterval } from '../../shared/concurrency/alignedTimers.js';
import { messageOf } from '../../shared/core/errors.js';
import { partBelow, type FetchedPart } from '../../shared/log/group/batchReader.js';
import type { DeadLetters } from '../../shared/log/deadLetters/deadLetters.js';
import {
  manyRecords,
  type GroupConsumer,
  type TopicPartition,
} from '../../shared/log/group/groupConsumer.js';
import type { GroupProgress } from '../../shared/log/lag/groupReport.js';
import { nameOfPartition } from '../../shared/log/client/topicPartition.js';
import type { TopicBounds } from '../../shared/log/client/topicOffsets.js';
import type { Logger } from '../../shared/core/logger.js';
import type { ModelDocument } from '../../shared/store/models/documents.js';
import type { ModelGeneration } from '../../shared/store/generations/modelGeneration.js';
import type { AliasCache } from '../../shared/store/models/aliasCache.js';
import { recordIdOf } from '../../shared/log/encoding/cloudEvent.js';
import { createCommits } from './commits.js';
import { createFoldBatches, type Batch } from '../fold/foldBatches.js';
import { createOldestPending } from './oldestPending.js';
import { readLogStartOffsets, skipDeleted, skippedOf } from './logStartOffsets.js';
import type { Projection } from '../models/projection.js';
import { createPoisonRecords, PoisonRecordsError } from '../fold/poisonRecords.js';
import { createFoldSession, isOpen, type FoldSession } from './foldSession.js';
import { readOrSetAside } from './readRecords.js';
import { recentRecordsOf } from '../fold/recentRecords.js';
import type { FilterAndDecrypt } from './filterAndDecrypt.js';

export interface ProjectionRunner extends GroupProgress {
  start: (onLost: (error: Error) => void) => Promise<void>;
  stop: () => Promise<void>;
}

export interface ProjectionRunnerDependencies<Model extends ModelDocument> {
  readonly projection: Projection<Model>;
  readonly consumer: GroupConsumer;
  readonly generation: ModelGeneration<Model>;
  readonly watch: Pick<AliasCache, 'metaOf'>;
  readonly deadLetters: DeadLetters;
  readonly offsets: Pick<TopicBounds, 'beginnings'>;
  readonly filterAndDecrypt: FilterAndDecrypt;
  /** The offset of a partition that it folds up to for now, but not from there on; as far as there is one without. */
  readonly endOf?: (partition: TopicPartition) => number;
  /** Called, once, when the generation is found to be emptied: nothing is folded into it any more. */
  readonly onEmptied: () => void;
  readonly logger: Logger;
  /** Told how long each batch took, in seconds. */
  readonly onBatch: (seconds: number) => void;
  /** How often it looks where the log begins, in milliseconds. */
  readonly lookAtLogMs?: number;
}

const housekeepingIntervalMs = 1000;
const retryPauseMs = 500;
const defaultLookAtLogMs = 30_000;
/** How many folds are under way at once where much waits: the database works on some while others are made. */
const foldsAtOnce = 3;

/**
 * Folds a model's topics into one generation of it, each partition's batches one after the other, and what has come of
 * several partitions together.
 *
 * Where reading goes on is what the model itself says (its meta document), not what the group has committed: the
 * documents may be older than the commits, after a restore or when MongoDB was emptied. The commits only show
 * operators how far the group is.
 */
export function createProjectionRunner<Model extends ModelDocument>(
  dependencies: ProjectionRunnerDependencies<Model>,
): ProjectionRunner {
  const { projection, consumer, generation, watch, logger } = dependencies;
  const { endOf = () => Number.POSITIVE_INFINITY, lookAtLogMs = defaultLookAtLogMs } = dependencies;
  /** Null where none are needed. */
  const recent = recentRecordsOf(projection);
  const foldBatches = createFoldBatches(generation);
  let emptied = false;
  let assigned: readonly TopicPartition[] = [];
  let reading: FoldSession<Model> | null = null;
  let last: FoldSession<Model> | null = null;
  let opening: Promise<void> | null = null;
  let endHousekeeping: () => void = () => undefined;
  let lookedAt = performance.now();
  const commitPositions = createCommits(consumer);
  const oldestPending = createOldestPending<Model>();
  const poison = createPoisonRecords();
  const reader = { ...dependencies, poison };

  /** Folds nothing more that was handed over: where reading goes on is found out anew. */
  const leave = () => {
    reading?.end();
    reading = null;
  };

  /** What is in MongoDB now is not what was folded: another generation begins from the log's beginning. */
  const giveUp = () => {
    leave();
    if (!emptied) {
      emptied = true;
      logger.warn({ model: projection.name, generation: generation.name }, 'the read model was emptied');
      dependencies.onEmptied();
    }
  };

  const foldAll = async (batches: readonly Batch<Model>[], goesOn: () => boolean) => {
    const before = recent === null ? null : { ...recent, goesOn };
    const result = await foldBatches(batches, before).catch((error: unknown) => {
      // Reading begins again at the position, below all of them, and finds the records with their bytes.
      poison.add(error instanceof PoisonRecordsError ? error.records : []);
      throw error;
    });
    if (result === 'emptied') {
      giveUp();
    }
  };

  /** Moves every assigned partition to where the documents end. */
  const open = async () => {
    const positions = await generation.positions();
    if (positions === null) {
      giveUp();
      return;
    }
    const ours = assigned;
    const beginningOf = await readLogStartOffsets(dependencies.offsets, ours);
    const skipped = skippedOf(ours, positions, beginningOf);
    await skipDeleted(skipped, generation, { logger, model: projection.name });
    // Assigned anew meanwhile, there are others to begin with.
    if (assigned !== ours) {
      await open();
      return;
    }
    poison.retainFrom(skipped);
    for (const { topic, partition, offset } of skipped) {
      const from = recent?.beginningFor({ topic, partition }, offset) ?? offset;
      consumer.seek({ topic, partition, offset: Math.max(from, beginningOf({ topic, partition })) });
    }
    const current: FoldSession<Model> = createFoldSession({
      beginnings: new Map(skipped.map((one) => [nameOfPartition(one), one.offset])),
      foldBatches: (batches) => foldAll(batches, () => reading === current),
      atOnce: foldsAtOnce,
    });
    reading = current;
    last = current;
    // Reading goes on elsewhere, and what was in hand may be folded.
    oldestPending.clear();
  };

  const openOnce = () => {
    leave();
    opening ??= open().finally(() => {
      opening = null;
    });
    return opening;
  };

  const openWithLog = () =>
    openOnce().catch((error: unknown) => {
      logger.warn({ model: projection.name, error: messageOf(error) }, 'the read model cannot be opened yet');
    });

  const logUnlessLeft = (current: FoldSession<Model> | null, partition: TopicPartition, error: unknown) => {
    if (reading === current) {
      const details = { model: projection.name, ...partition, error: messageOf(error) };
      logger.warn(details, 'a batch is tried again');
    }
  };

  const takeInHand = (partition: TopicPartition, { records }: FetchedPart) => {
    const first = records.find(({ offset }) => offset >= (reading?.nextOf(partition) ?? 0));
    if (first !== undefined) {
      oldestPending.begin(partition, first.timestamp);
    }
  };

  const fold = async (current: FoldSession<Model>, batch: Batch<Model>) => {
    const startedAt = performance.now();
    await current.fold(batch);
    if (reading === current) {
      oldestPending.end(batch, current.nextOf(batch.partition) === batch.next);
    }
    dependencies.onBatch((performance.now() - startedAt) / 1000);
  };

  const apply = async (
    current: FoldSession<Model>,
    partition: TopicPartition,
    { records, end }: FetchedPart,
  ) => {
    const next = current.nextOf(partition);
    const fresh = records.filter(({ offset }) => offset >= next);
    const known = records.slice(0, records.length - fresh.length);
    recent?.remember(partition, known.map(recordIdOf), (known.at(-1)?.offset ?? -1) + 1);
    // Also without records: who waits for the log's end waits for the markers of transactions too.
    if (end <= next) {
      return;
    }
    // Answers of the database come in between: the next batch is written while this one is read.
    await (fresh.length < manyRecords ? null : endOfTurn());
    const batch = { partition, records: await readOrSetAside(reader, fresh), next: end };
    const folding = fold(current, batch);
    // Otherwise what comes next is fetched and read while these are folded.
    if (fresh.length < manyRecords) {
      await folding;
      return;
    }
    folding.catch((error: unknown) => {
      logUnlessLeft(current, partition, error);
    });
    await current.hasRoom();
  };

  const takeBatch = async (partition: TopicPartition, part: FetchedPart): Promise<number | null> => {
    const taken = emptied ? null : partBelow(part, endOf(partition));
    takeInHand(partition, part);
    const current = reading;
    try {
      if (taken === null) {
        pauseForAWhile(consumer, partition);
        return null;
      }
      if (!isOpen(current)) {
        // Fetched from where the group had committed: the seek that comes with opening decides where to read instead.
        await openOnce();
        return null;
      }
      await apply(current, partition, taken);
      // Opened anew meanwhile, reading goes on where the seek says: to move on from here would take that for a step back.
      return reading === current && isOpen(current) ? taken.end : null;
    } catch (error) {
      logUnlessLeft(current, partition, error);
      pauseForAWhile(consumer, partition);
      return null;
    }
  };

  const commit = () => commitPositions(assigned, reading?.folded ?? new Map<string, number>());

  /** Nothing is handed over of a partition of which nothing is left: only its beginning tells that it was not read to its end. */
  const isBehindLog = async (current: FoldSession<Model>) => {
    if (performance.now() - lookedAt < lookAtLogMs) {
      return false;
    }
    lookedAt = performance.now();
    const beginningOf = await readLogStartOffsets(dependencies.offsets, assigned);
    return assigned.some((partition) => current.nextOf(partition) < beginningOf(partition));
  };

  /** Without traffic no batch would find out that the model is gone, and a model that is gone answers nothing. */
  const mustOpen = async (current: FoldSession<Model> | null) =>
    !isOpen(current) ||
    (await watch.metaOf(generation.name).catch(() => undefined)) === null ||
    (await isBehindLog(current).catch(() => false));

  const keepHouse = async () => {
    if (!emptied && (await mustOpen(reading))) {
      await openWithLog();
    }
    await commit();
  };

  return {
    start: async (onLost) => {
      await consumer.start({
        onAssignment: (partitions) => {
          assigned = partitions;
          oldestPending.clear();
          void openWithLog();
        },
        onRebalancing: commit,
        onBatch: takeBatch,
        onLost,
      });
      endHousekeeping = onAlignedInterval(housekeepingIntervalMs, () => void keepHouse());
    },
    stop: async () => {
      endHousekeeping();
      await commit();
      await consumer.stop();
      await reading?.settled();
    },
    watermarks: () =>
      assigned.flatMap((partition) => {
        const offset = (reading ?? last)?.folded.get(nameOfPartition(partition));
        return offset === undefined ? [] : [{ partition, offset }];
      }),
    unfinishedSince: oldestPending.since,
  };
}

function pauseForAWhile(consumer: GroupConsumer, partition: TopicPartition): void {
  consumer.pause(partition);
  void pause(retryPauseMs).then(() => {
    consumer.resume(partition);
  });
}
