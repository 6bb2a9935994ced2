import type { SharedTurns } from '../../shared/concurrency/sharedTurns.js';
import { messageOf } from '../../shared/core/errors.js';
import type { Logger } from '../../shared/core/logger.js';
import type { TopicBounds } from '../../shared/log/client/topicOffsets.js';
import {
  nameOfPartition,
  type TopicPartition,
  type TopicPartitionOffset,
} from '../../shared/log/client/topicPartition.js';
import type { GroupConsumer } from '../../shared/log/group/groupConsumer.js';
import type { GroupProgress } from '../../shared/log/lag/groupReport.js';
import type { ModelGeneration } from '../../shared/store/generations/modelGeneration.js';
import type { ModelDocument } from '../../shared/store/models/documents.js';
import type { ModelName } from '../../shared/store/models/modelDefinitions.js';
import { createFoldBatches, type Batch } from '../fold/foldBatches.js';
import { PoisonRecordsError, type PoisonRecords } from '../fold/poisonRecords.js';
import type { RecentRecordIds } from '../fold/recentRecordIds.js';
import { createFoldSession, type FoldSession } from './foldSession.js';

/** The fold sessions of a runner, one after another, and the partitions that they fold. */
export interface FoldSessions<Model extends ModelDocument> extends Pick<GroupProgress, 'watermarks'> {
  /** The last session that was opened, which may be closed. Before the first one, it is a closed session. */
  current: () => FoldSession<Model>;
  /** Replaces the assigned partitions, and opens a session for them. */
  assign: (partitions: readonly TopicPartition[]) => void;
  /**
   * Closes the current session, and opens another one at the positions of the model. Concurrent calls share the opening.
   * A failure is logged, and leaves the current session closed.
   */
  reopen: () => Promise<void>;
  /** Opens another session if the log has deleted records that the current session has not read. */
  reopenBelowLogStart: () => Promise<void>;
  /** Commits the folded offsets that have changed since the last commit. */
  commit: () => Promise<void>;
  /** Resolves when no session is being opened and no fold of the current one is in flight. */
  settled: () => Promise<void>;
}

export interface FoldSessionsDependencies<Model extends ModelDocument> {
  readonly model: ModelName;
  readonly generation: ModelGeneration<Model>;
  readonly consumer: Pick<GroupConsumer, 'seek' | 'commit'>;
  readonly offsets: Pick<TopicBounds, 'beginnings'>;
  /** The ids of the last folded records, or null if the fold itself ignores duplicates. */
  readonly recentIds: RecentRecordIds | null;
  readonly poison: Pick<PoisonRecords, 'add' | 'dropBelow'>;
  /** The turns in which the models of this process decode and fold records. */
  readonly turns: SharedTurns;
  /** Called when the consumer was moved to the offsets of a new session. */
  readonly onOpened: () => void;
  readonly logger: Pick<Logger, 'warn'>;
}

/** How many folds run in parallel under load: while the database executes a fold, the process prepares the next. */
const maximumConcurrentFolds = 3;
/** How often the same failure of an opening is logged, in milliseconds. */
const logIntervalMs = 10_000;

/** Keeps a session open. It is closed by its first failure and by each assignment, and the next one reads its offsets. */
export function createFoldSessions<Model extends ModelDocument>(
  dependencies: FoldSessionsDependencies<Model>,
): FoldSessions<Model> {
  const { model, generation, consumer, offsets, recentIds, poison, turns, onOpened, logger } = dependencies;
  const foldBatches = createFoldBatches(generation, { turns });
  const committed = new Map<string, number>();
  let assigned: readonly TopicPartition[] = [];
  let session = closedSession<Model>();
  let opening: Promise<void> | null = null;
  let logged = { error: '', at: 0 };

  const foldInto = async (batches: readonly Batch<Model>[], isCurrent: () => boolean) => {
    try {
      const deduplication = recentIds === null ? null : { ...recentIds, isCurrent };
      if ((await foldBatches(batches, deduplication)) === 'emptied') {
        throw emptied();
      }
    } catch (error) {
      // The next session starts below all poison records, and reads them with their bytes.
      poison.add(error instanceof PoisonRecordsError ? error.records : []);
      throw error;
    }
  };

  /** Reads where the folds of partitions resume, and moves the positions of the model over deleted records. */
  const readStart = async (partitions: readonly TopicPartition[]): Promise<readonly ResumeOffset[]> => {
    const positions = await generation.positions();
    if (positions === null) {
      throw emptied();
    }
    const logStartOf = await readLogStartOffsets(offsets, partitions);
    const start = partitions.map((partition) => {
      const position = positions[partition.topic]?.[String(partition.partition)] ?? 0;
      const logStart = logStartOf(partition);
      return { ...partition, position, logStart, offset: Math.max(position, logStart) };
    });
    await skipDeletedRecords(start, generation, { logger, model });
    return start;
  };

  /** Seeks every partition to its offset, and replaces the session. */
  const begin = (start: readonly ResumeOffset[]) => {
    poison.dropBelow(start);
    for (const { topic, partition, offset, logStart } of start) {
      const from = recentIds?.startOffsetFor({ topic, partition }, offset) ?? offset;
      consumer.seek({ topic, partition, offset: Math.max(from, logStart) });
    }
    const opened: FoldSession<Model> = createFoldSession({
      startOffsets: new Map(start.map((one) => [nameOfPartition(one), one.offset])),
      foldBatches: (batches) => foldInto(batches, () => session === opened),
      maximumConcurrentFolds,
    });
    session = opened;
    onOpened();
  };

  /** Opens a session for the partitions that are assigned when it begins. Nothing waits between that check and the end. */
  const open = async () => {
    try {
      let partitions = assigned;
      let start = await readStart(partitions);
      while (assigned !== partitions) {
        partitions = assigned;
        start = await readStart(partitions);
      }
      begin(start);
    } catch (error) {
      logFailure(messageOf(error));
    }
    opening = null;
  };

  /** Openings are tried several times a second, for example until another process replaces an emptied generation. */
  const logFailure = (error: string) => {
    const at = performance.now();
    if (error !== logged.error || at - logged.at >= logIntervalMs) {
      logged = { error, at };
      logger.warn({ model, error }, 'the read model cannot be opened yet');
    }
  };

  const reopen = () => {
    session.close();
    opening ??= open();
    return opening;
  };

  return {
    current: () => session,
    reopen,
    assign: (partitions) => {
      assigned = partitions;
      void reopen();
    },
    reopenBelowLogStart: async () => {
      const logStartOf = await readLogStartOffsets(offsets, assigned);
      // A partition without records is never fetched, so no fetch notices that records were deleted.
      if (assigned.some((partition) => (session.nextOffsetOf(partition) ?? 0) < logStartOf(partition))) {
        await reopen();
      }
    },
    commit: async () => {
      // The partitions of a closed session may have moved to another process, which has committed higher offsets.
      const changed = (session.isOpen() ? assigned : []).flatMap((partition) => {
        const offset = session.foldedOffsets.get(nameOfPartition(partition));
        return offset === undefined || offset === committed.get(nameOfPartition(partition))
          ? []
          : [{ ...partition, offset }];
      });
      if (changed.length > 0 && (await consumer.commit(changed))) {
        changed.forEach((position) => committed.set(nameOfPartition(position), position.offset));
      }
    },
    settled: async () => {
      await opening;
      await session.drained();
    },
    watermarks: () =>
      assigned.flatMap((partition) => {
        const offset = session.foldedOffsets.get(nameOfPartition(partition));
        return offset === undefined ? [] : [{ partition, offset }];
      }),
  };
}

function closedSession<Model extends ModelDocument>(): FoldSession<Model> {
  const session = createFoldSession<Model>({
    startOffsets: new Map(),
    foldBatches: () => Promise.resolve(),
    maximumConcurrentFolds: 1,
  });
  session.close();
  return session;
}

/** The failure of a runner whose generation was emptied. It lasts until the runner is stopped. */
function emptied(): Error {
  return new Error('the read model was emptied');
}

/** The offset at which a partition is resumed: behind the folded records, and behind those that the log has deleted. */
interface ResumeOffset extends TopicPartitionOffset {
  readonly position: number;
  readonly logStart: number;
}

/** Reads the log start offsets of partitions: Kafka has deleted all records below. For an emptied partition it is the end. */
async function readLogStartOffsets(
  offsets: Pick<TopicBounds, 'beginnings'>,
  partitions: readonly TopicPartition[],
): Promise<(partition: TopicPartition) => number> {
  const topics = [...new Set(partitions.map(({ topic }) => topic))];
  const startOffsets = new Map(
    await Promise.all(topics.map(async (topic) => [topic, await offsets.beginnings(topic)] as const)),
  );
  return ({ topic, partition }) => startOffsets.get(topic)?.[partition] ?? 0;
}

/**
 * Moves the positions of a model over records that the log deleted before the model read them. Otherwise the model
 * would wait forever for a partition without records, and every request that waits for the model would wait too.
 */
async function skipDeletedRecords<Model extends ModelDocument>(
  start: readonly ResumeOffset[],
  generation: Pick<ModelGeneration<Model>, 'skip' | 'name'>,
  { logger, model }: Pick<FoldSessionsDependencies<Model>, 'logger' | 'model'>,
): Promise<void> {
  const deleted = start.filter(({ position, offset }) => position < offset);
  for (const { topic, partition, position, offset } of deleted) {
    logger.warn(
      { model, generation: generation.name, topic, partition, from: position, below: offset },
      'the log has deleted records that the read model has not read: they cannot be restored',
    );
  }
  if (deleted.length > 0) {
    await generation.skip(deleted.map(({ topic, partition, offset }) => ({ topic, partition, offset })));
  }
}
