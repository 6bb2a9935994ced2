import { createPeriodicTask } from '../../shared/concurrency/periodicTask.js';
import type { SharedTurns } from '../../shared/concurrency/sharedTurns.js';
import type { Logger } from '../../shared/core/logger.js';
import type { TopicBounds } from '../../shared/log/client/topicOffsets.js';
import type { TopicPartition } from '../../shared/log/client/topicPartition.js';
import type { DeadLetters } from '../../shared/log/deadLetters/deadLetters.js';
import type { GroupConsumer } from '../../shared/log/group/groupConsumer.js';
import type { GroupProgress } from '../../shared/log/lag/groupReport.js';
import type { ModelGeneration } from '../../shared/store/generations/modelGeneration.js';
import type { ModelDocument } from '../../shared/store/models/documents.js';
import { createPoisonRecords } from '../fold/poisonRecords.js';
import { recentRecordIdsFor } from '../fold/recentRecordIds.js';
import type { Projection } from '../models/projection.js';
import { createFoldFetched, createOldestPending } from './foldFetched.js';
import { createFoldSessions } from './foldSessions.js';
import type { FilterAndDecrypt } from './readRecords.js';

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
  /** The turns in which the models of this process decode and fold records. */
  readonly turns: SharedTurns;
  /** The offset of a partition below which the runner folds records for now. By default it folds all records. */
  readonly endOffsetOf?: (partition: TopicPartition) => number;
  readonly logger: Logger;
  /** Called with the duration of each batch, in seconds. */
  readonly onBatch: (seconds: number) => void;
  /** How often the runner compares its positions with the log start offsets, in milliseconds. */
  readonly truncationCheckMs?: number;
}

const housekeepingMs = 1000;
const defaultTruncationCheckMs = 30_000;

/**
 * The consumer that folds a model's topics into one generation of the model.
 *
 * ```
 *   foldFetched ──► readOrDeadLetter ──► session.fold ──► foldBatches ──► generation.write, generation.advance
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
  const { projection, consumer, logger, truncationCheckMs = defaultTruncationCheckMs } = dependencies;
  const { endOffsetOf = () => Number.POSITIVE_INFINITY } = dependencies;
  const recentIds = recentRecordIdsFor(projection);
  const poison = createPoisonRecords();
  const oldestPending = createOldestPending<Model>();
  const sessions = createFoldSessions({
    ...dependencies,
    model: projection.name,
    recentIds,
    poison,
    // The consumer was moved to other offsets, and the pending records may have been folded meanwhile.
    onOpened: oldestPending.clear,
  });
  const tasks = [
    createPeriodicTask({
      // Without traffic no fetch notices that the session was closed by a failure.
      pass: async () => {
        await (sessions.current().isOpen() ? null : sessions.reopen());
        await sessions.commit();
      },
      restMs: housekeepingMs,
      warning: 'the positions of a read model cannot be committed yet',
      logger,
    }),
    createPeriodicTask({
      pass: sessions.reopenBelowLogStart,
      restMs: truncationCheckMs,
      warning: 'the log start offsets of a read model cannot be read yet',
      logger,
    }),
  ];

  return {
    start: async (onFatal) => {
      await consumer.start({
        onAssignment: (partitions) => {
          oldestPending.clear();
          sessions.assign(partitions);
        },
        onRebalancing: sessions.commit,
        onBatch: createFoldFetched({
          ...dependencies,
          endOffsetOf,
          sessions,
          recentIds,
          oldestPending,
          reader: { ...dependencies, poison },
        }),
        onLost: onFatal,
      });
      tasks.forEach(({ start }) => {
        start();
      });
    },
    stop: async () => {
      await Promise.all(tasks.map(({ stop }) => stop()));
      await sessions.commit();
      await consumer.stop();
      await sessions.settled();
    },
    watermarks: sessions.watermarks,
    unfinishedSince: oldestPending.since,
  };
}
