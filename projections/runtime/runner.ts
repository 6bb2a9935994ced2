import { setImmediate as endOfTurn, setTimeout as pause } from 'node:timers/promises';

import { onAlignedInterval } from '../../shared/concurrency/alignedTimers.js';
import type { SharedTurns } from '../../shared/concurrency/sharedTurns.js';
import { messageOf } from '../../shared/core/errors.js';
import type { Logger } from '../../shared/core/logger.js';
import type { TopicBounds } from '../../shared/log/client/topicOffsets.js';
import { nameOfPartition } from '../../shared/log/client/topicPartition.js';
import type { DeadLetters } from '../../shared/log/deadLetters/deadLetters.js';
import { recordIdOf } from '../../shared/log/encoding/cloudEvent.js';
import { partBelow, type FetchedPart } from '../../shared/log/group/batchReader.js';
import type { GroupConsumer, TopicPartition } from '../../shared/log/group/groupConsumer.js';
import { manyRecords } from '../../shared/log/group/kafkajsConsumer.js';
import type { GroupProgress } from '../../shared/log/lag/groupReport.js';
import type { ModelGeneration } from '../../shared/store/generations/modelGeneration.js';
import type { ModelDocument } from '../../shared/store/models/documents.js';
import { createFoldBatches, type Batch } from '../fold/foldBatches.js';
import { createPoisonRecords, PoisonRecordsError } from '../fold/poisonRecords.js';
import { recentRecordIdsFor } from '../fold/recentRecordIds.js';
import type { Projection } from '../models/projection.js';
import { createFoldSession, isOpen, type FoldSession } from './foldSession.js';
import { readOrDeadLetter, type FilterAndDecrypt } from './readRecords.js';
import { createCommits, createOldestPending } from './runnerProgress.js';
import { readLogStartOffsets, resumeOffsets, skipDeletedRecords } from './startOffsets.js';

export interface ProjectionRunner extends GroupProgress {
  start: (onFatal: (error: Error) => void) => Promise<void>;
  stop: () => Promise<void>;
}

export interface ProjectionRunnerDependencies<Model extends ModelDocument> {
  readonly projection: Projection<Model>;
  readonly consumer: GroupConsumer;
  readonly generation: ModelGeneration<Model>;
  readonly deadLetters: DeadLetters;
  readonly offsets: Pick<TopicBounds, 'beginnings'>;
  readonly filterAndDecrypt: FilterAndDecrypt;
  /** The turns in which the models of this process decode records. */
  readonly turns: SharedTurns;
  /** The offset of a partition below which the runner folds records for now. By default it folds all records. */
  readonly endOffsetOf?: (partition: TopicPartition) => number;
  readonly logger: Logger;
  /** Called with the duration of each batch, in seconds. */
  readonly onBatch: (seconds: number) => void;
  /** How often the runner compares its positions with the log start offsets, in milliseconds. */
  readonly truncationCheckMs?: number;
}

const housekeepingIntervalMs = 1000;
const retryPauseMs = 500;
const defaultTruncationCheckMs = 30_000;
/** How many folds run in parallel under load: while the database executes a fold, the process prepares the next. */
const maximumConcurrentFolds = 3;

/**
 * The consumer that folds a model's topics into one generation of the model.
 *
 * ```
 *   handleFetched ──► readOrDeadLetter ──► session.fold ──► foldBatches ──► generation.write, generation.advance
 * ```
 * The batches of a partition are folded in their order, and the batches of several partitions together.
 *
 * Folding resumes at the positions in the meta document of the model, not at the committed offsets. After a restore, or
 * after MongoDB was emptied, the documents may be older than the committed offsets. The committed offsets only show
 * operators the progress of the group.
 */
export function createProjectionRunner<Model extends ModelDocument>(
  dependencies: ProjectionRunnerDependencies<Model>,
): ProjectionRunner {
  const { projection, consumer, generation, logger } = dependencies;
  const { endOffsetOf = () => Number.POSITIVE_INFINITY } = dependencies;
  const { truncationCheckMs = defaultTruncationCheckMs } = dependencies;
  /** The ids of the last folded records, or null if the fold itself ignores duplicates. */
  const recentIds = recentRecordIdsFor(projection);
  const foldBatches = createFoldBatches(generation);
  let assigned: readonly TopicPartition[] = [];
  let session: FoldSession<Model> | null = null;
  let lastSession: FoldSession<Model> | null = null;
  let opening: Promise<void> | null = null;
  let endHousekeeping: () => void = () => undefined;
  let truncationCheckedAt = performance.now();
  const commitPositions = createCommits(consumer);
  const oldestPending = createOldestPending<Model>();
  const poison = createPoisonRecords();
  const reader = { ...dependencies, poison };

  /** Closes the session, which drops all pending batches. The next session reads its start offsets again. */
  const closeSession = () => {
    session?.close();
    session = null;
  };

  const foldInto = async (batches: readonly Batch<Model>[], isCurrent: () => boolean) => {
    const deduplication = recentIds === null ? null : { ...recentIds, isCurrent };
    const result = await foldBatches(batches, deduplication).catch((error: unknown) => {
      // The next session starts below all poison records, and reads them with their bytes.
      poison.add(error instanceof PoisonRecordsError ? error.records : []);
      throw error;
    });
    if (result === 'emptied') {
      throw emptied();
    }
  };

  /** Opens a session, and seeks every assigned partition to the position of the model. */
  const openSession = async () => {
    const positions = await generation.positions();
    if (positions === null) {
      throw emptied();
    }
    const partitions = assigned;
    const logStartOf = await readLogStartOffsets(dependencies.offsets, partitions);
    const resumed = resumeOffsets(partitions, positions, logStartOf);
    await skipDeletedRecords(resumed, generation, { logger, model: projection.name });
    // A rebalance in the meantime has assigned other partitions.
    if (assigned !== partitions) {
      await openSession();
      return;
    }
    poison.dropBelow(resumed);
    for (const { topic, partition, offset } of resumed) {
      const from = recentIds?.startOffsetFor({ topic, partition }, offset) ?? offset;
      consumer.seek({ topic, partition, offset: Math.max(from, logStartOf({ topic, partition })) });
    }
    const opened: FoldSession<Model> = createFoldSession({
      startOffsets: new Map(resumed.map((one) => [nameOfPartition(one), one.offset])),
      foldBatches: (batches) => foldInto(batches, () => session === opened),
      maximumConcurrentFolds,
    });
    session = opened;
    lastSession = opened;
    // The consumer was moved to other offsets, and the pending records may have been folded meanwhile.
    oldestPending.clear();
  };

  const reopenSession = () => {
    closeSession();
    opening ??= openSession().finally(() => {
      opening = null;
    });
    return opening;
  };

  const tryToReopenSession = () =>
    reopenSession().catch((error: unknown) => {
      logger.warn({ model: projection.name, error: messageOf(error) }, 'the read model cannot be opened yet');
    });

  const logIfCurrent = (current: FoldSession<Model> | null, partition: TopicPartition, error: unknown) => {
    if (session === current) {
      const details = { model: projection.name, ...partition, error: messageOf(error) };
      logger.warn(details, 'a batch is retried');
    }
  };

  const notePending = (partition: TopicPartition, { records }: FetchedPart) => {
    const first = records.find(({ offset }) => offset >= (session?.nextOffsetOf(partition) ?? 0));
    if (first !== undefined) {
      oldestPending.begin(partition, first.timestamp);
    }
  };

  const fold = async (current: FoldSession<Model>, batch: Batch<Model>) => {
    const startedAt = performance.now();
    await current.fold(batch);
    if (session === current) {
      oldestPending.finish(batch, current.nextOffsetOf(batch.partition) === batch.nextOffset);
    }
    dependencies.onBatch((performance.now() - startedAt) / 1000);
  };

  const readAndFold = async (
    current: FoldSession<Model>,
    partition: TopicPartition,
    { records, end }: FetchedPart,
  ) => {
    const next = current.nextOffsetOf(partition);
    const unfolded = records.filter(({ offset }) => offset >= next);
    const folded = records.slice(0, records.length - unfolded.length);
    recentIds?.remember(partition, folded.map(recordIdOf), (folded.at(-1)?.offset ?? -1) + 1);
    // A batch without records also moves the position: requests wait for the log's end, even after transaction markers.
    if (end <= next) {
      return;
    }
    // Under load the event loop first handles answers of the database, so the next fold is written during the decoding.
    await (unfolded.length < manyRecords ? null : endOfTurn());
    const filteredAt = Date.now();
    const decoded = await readOrDeadLetter(reader, unfolded);
    const result = fold(current, { partition, records: decoded, nextOffset: end, filteredAt });
    if (unfolded.length < manyRecords) {
      await result;
      return;
    }
    // Under load the next batch is fetched and decoded while this batch is folded.
    result.catch((error: unknown) => {
      logIfCurrent(current, partition, error);
    });
    await current.waitForCapacity();
  };

  /** @returns the next offset to fetch; null if a seek decides the offset, or the same records must be fetched again */
  const handleFetched = async (partition: TopicPartition, fetched: FetchedPart): Promise<number | null> => {
    const part = partBelow(fetched, endOffsetOf(partition));
    notePending(partition, fetched);
    const current = session;
    try {
      if (part === null) {
        pauseBriefly(consumer, partition);
        return null;
      }
      if (!isOpen(current)) {
        // The records were fetched from the committed offset, and opening a session seeks to the position of the model.
        await reopenSession();
        return null;
      }
      await readAndFold(current, partition, part);
      // If another session was opened meanwhile, its seek decides the offset: an advance would move the consumer back.
      return session === current && isOpen(current) ? part.end : null;
    } catch (error) {
      logIfCurrent(current, partition, error);
      pauseBriefly(consumer, partition);
      return null;
    }
  };

  const commit = () => commitPositions(assigned, session?.foldedOffsets ?? new Map<string, number>());

  /** Whether a position is below the log start offset. A partition without records is never fetched. */
  const isBehindLogStart = async (current: FoldSession<Model>) => {
    if (performance.now() - truncationCheckedAt < truncationCheckMs) {
      return false;
    }
    truncationCheckedAt = performance.now();
    const logStartOf = await readLogStartOffsets(dependencies.offsets, assigned);
    return assigned.some((partition) => current.nextOffsetOf(partition) < logStartOf(partition));
  };

  const mustReopen = async (current: FoldSession<Model> | null) =>
    !isOpen(current) || (await isBehindLogStart(current).catch(() => false));

  const runHousekeeping = async () => {
    if (await mustReopen(session)) {
      await tryToReopenSession();
    }
    await commit();
  };

  return {
    start: async (onFatal) => {
      await consumer.start({
        onAssignment: (partitions) => {
          assigned = partitions;
          oldestPending.clear();
          void tryToReopenSession();
        },
        onRebalancing: commit,
        onBatch: handleFetched,
        onLost: onFatal,
      });
      endHousekeeping = onAlignedInterval(housekeepingIntervalMs, () => void runHousekeeping());
    },
    stop: async () => {
      endHousekeeping();
      await commit();
      await consumer.stop();
      await session?.drained();
    },
    watermarks: () =>
      assigned.flatMap((partition) => {
        const offset = (session ?? lastSession)?.foldedOffsets.get(nameOfPartition(partition));
        return offset === undefined ? [] : [{ partition, offset }];
      }),
    unfinishedSince: oldestPending.since,
  };
}

/** The failure of a runner whose generation was emptied. It lasts until the runner is stopped. */
function emptied(): Error {
  return new Error('the read model was emptied');
}

function pauseBriefly(consumer: GroupConsumer, partition: TopicPartition): void {
  consumer.pause(partition);
  void pause(retryPauseMs).then(() => {
    consumer.resume(partition);
  });
}
