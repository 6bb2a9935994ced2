import { setImmediate as endOfTurn, setTimeout as pause } from 'node:timers/promises';

import { onEachBeat } from '../shared/beats.js';
import { messageOf } from '../shared/errors.js';
import { partBelow, type FetchedPart } from '../shared/kafka/batchReader.js';
import type { DeadLetters } from '../shared/kafka/deadLetters.js';
import { manyRecords, type GroupConsumer, type TopicPartition } from '../shared/kafka/groupConsumer.js';
import type { GroupProgress } from '../shared/kafka/groupReport.js';
import { nameOfPartition } from '../shared/kafka/topicPartition.js';
import type { TopicBounds } from '../shared/kafka/topicOffsets.js';
import type { Logger } from '../shared/logger.js';
import type { ModelDocument } from '../shared/mongo/documents.js';
import type { ModelGeneration } from '../shared/mongo/modelGeneration.js';
import type { ModelWatch } from '../shared/mongo/modelWatch.js';
import { recordIdOf } from '../shared/topics/cloudEvent.js';
import { createCommits } from './commits.js';
import { createFoldTogether, type Batch } from './folding.js';
import { createInHand } from './inHand.js';
import { readLogBeginnings, skipDeleted, skippedOf } from './logBeginnings.js';
import type { Projection } from './projection.js';
import { createPoisonRecords, PoisonRecordsError } from './poison.js';
import { createReading, type Reading } from './reading.js';
import { readOrSetAside } from './readRecords.js';
import { createRecentRecords, type RecentRecords } from './recentRecords.js';
import type { Sift } from './sift.js';

export interface ProjectionRunner extends GroupProgress {
  start: (onLost: (error: Error) => void) => Promise<void>;
  stop: () => Promise<void>;
}

export interface ProjectionRunnerDependencies<Model extends ModelDocument> {
  readonly projection: Projection<Model>;
  readonly consumer: GroupConsumer;
  readonly generation: ModelGeneration<Model>;
  readonly watch: Pick<ModelWatch, 'metaOf'>;
  readonly deadLetters: DeadLetters;
  readonly offsets: Pick<TopicBounds, 'beginnings'>;
  readonly sift: Sift;
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
  const recent = memoryOf(projection);
  const foldTogether = createFoldTogether(generation);
  let emptied = false;
  let assigned: readonly TopicPartition[] = [];
  let reading: Reading<Model> | null = null;
  let last: Reading<Model> | null = null;
  let opening: Promise<void> | null = null;
  let endHousekeeping: () => void = () => undefined;
  let lookedAt = performance.now();
  const commitPositions = createCommits(consumer);
  const inHand = createInHand<Model>();
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
    const result = await foldTogether(batches, before).catch((error: unknown) => {
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
    const beginningOf = await readLogBeginnings(dependencies.offsets, ours);
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
    const current: Reading<Model> = createReading({
      beginnings: new Map(skipped.map((one) => [nameOfPartition(one), one.offset])),
      foldTogether: (batches) => foldAll(batches, () => reading === current),
      atOnce: foldsAtOnce,
    });
    reading = current;
    last = current;
    // Reading goes on elsewhere, and what was in hand may be folded.
    inHand.clear();
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

  const logUnlessLeft = (current: Reading<Model> | null, partition: TopicPartition, error: unknown) => {
    if (reading === current) {
      const details = { model: projection.name, ...partition, error: messageOf(error) };
      logger.warn(details, 'a batch is tried again');
    }
  };

  const takeInHand = (partition: TopicPartition, { records }: FetchedPart) => {
    const first = records.find(({ offset }) => offset >= (reading?.nextOf(partition) ?? 0));
    if (first !== undefined) {
      inHand.begin(partition, first.timestamp);
    }
  };

  const fold = async (current: Reading<Model>, batch: Batch<Model>) => {
    const startedAt = performance.now();
    await current.fold(batch);
    if (reading === current) {
      inHand.end(batch, current.nextOf(batch.partition) === batch.next);
    }
    dependencies.onBatch((performance.now() - startedAt) / 1000);
  };

  const apply = async (current: Reading<Model>, partition: TopicPartition, { records, end }: FetchedPart) => {
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
  const isBehindLog = async (current: Reading<Model>) => {
    if (performance.now() - lookedAt < lookAtLogMs) {
      return false;
    }
    lookedAt = performance.now();
    const beginningOf = await readLogBeginnings(dependencies.offsets, assigned);
    return assigned.some((partition) => current.nextOf(partition) < beginningOf(partition));
  };

  /** Without traffic no batch would find out that the model is gone, and a model that is gone answers nothing. */
  const mustOpen = async (current: Reading<Model> | null) =>
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
          inHand.clear();
          void openWithLog();
        },
        onRebalancing: commit,
        onBatch: takeBatch,
        onLost,
      });
      endHousekeeping = onEachBeat(housekeepingIntervalMs, () => void keepHouse());
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
    unfinishedSince: inHand.since,
  };
}

/** Whether what is handed over is folded: after a failure it is not. */
function isOpen<Model extends ModelDocument>(reading: Reading<Model> | null): reading is Reading<Model> {
  return reading?.hasEnded() === false;
}

function memoryOf({ rememberedRecords = 0 }: { readonly rememberedRecords?: number }): RecentRecords | null {
  return rememberedRecords === 0 ? null : createRecentRecords(rememberedRecords);
}

function pauseForAWhile(consumer: GroupConsumer, partition: TopicPartition): void {
  consumer.pause(partition);
  void pause(retryPauseMs).then(() => {
    consumer.resume(partition);
  });
}
