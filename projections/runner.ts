import { setTimeout as pause } from 'node:timers/promises';

import { messageOf } from '../shared/errors.js';
import type { FetchedPart } from '../shared/kafka/batchReader.js';
import type { DeadLetters } from '../shared/kafka/deadLetters.js';
import type { GroupConsumer, TopicPartition } from '../shared/kafka/groupConsumer.js';
import type { GroupProgress } from '../shared/kafka/groupReport.js';
import { nameOfPartition } from '../shared/kafka/topicPartition.js';
import type { Logger } from '../shared/logger.js';
import type { ModelDocument } from '../shared/mongo/documents.js';
import type { ModelGeneration, ModelWriter } from '../shared/mongo/modelWriter.js';
import { recordIdOf } from '../shared/topics/cloudEvent.js';
import type { RawRecord } from '../shared/topics/record.js';
import type { ReadRecord } from './foldBatch.js';
import { foldTogether, type Batch } from './folding.js';
import { createGathering, type Gather } from './gathering.js';
import type { Projection } from './projection.js';
import { createRecentRecords, type RecentRecords } from './recentRecords.js';

export interface ProjectionRunner extends GroupProgress {
  start: (onLost: (error: Error) => void) => Promise<void>;
  stop: () => Promise<void>;
}

export interface ProjectionRunnerDependencies<Model extends ModelDocument> {
  readonly projection: Projection<Model>;
  readonly consumer: GroupConsumer;
  readonly writer: ModelWriter<Model>;
  readonly deadLetters: DeadLetters;
  /** Leaves out what is not to be folded. */
  readonly sift: (records: readonly RawRecord[]) => Promise<readonly RawRecord[]>;
  readonly logger: Logger;
  /** Told how long each batch took, in seconds. */
  readonly onBatch: (seconds: number) => void;
}

/** The generation that is folded into, and the offset that each assigned partition folds next. */
interface Reading<Model extends ModelDocument> {
  readonly generation: ModelGeneration<Model>;
  readonly next: Map<string, number>;
  /** Of this generation: what another one has folded is not in this one. Null where none are needed. */
  readonly recent: RecentRecords | null;
  readonly fold: Gather<Batch<Model>>;
}

const housekeepingIntervalMs = 1000;
const retryPauseMs = 500;
/** What is folded in one go, in records, but for a single batch with more. */
const maximumFoldedTogether = 2000;

/**
 * Folds a model's topics into its live generation, each partition's batches one after the other, and what has come of
 * several partitions together.
 *
 * Where reading goes on is what the model itself says (its meta document), not what the group has committed: the
 * documents may be older than the commits, after a restore or when MongoDB was emptied. The commits only show
 * operators how far the group is.
 */
export function createProjectionRunner<Model extends ModelDocument>(
  dependencies: ProjectionRunnerDependencies<Model>,
): ProjectionRunner {
  const { projection, consumer, writer, logger } = dependencies;
  let assigned: readonly TopicPartition[] = [];
  let reading: Reading<Model> | null = null;
  let last: Reading<Model> | null = null;
  let opening: Promise<void> | null = null;
  let timer: NodeJS.Timeout | null = null;
  const committed = new Map<string, number>();
  /** When the first record of what each partition has in hand was appended. */
  const inHand = new Map<string, number>();

  const foldAll = async (current: Reading<Model>, batches: readonly Batch<Model>[]) => {
    if ((await foldTogether(batches, current.generation, current.recent)) === 'emptied') {
      logger.warn({ model: projection.name }, 'the read model was emptied: it is built again from the log');
      await openWithLog();
      return;
    }
    batches.forEach(({ partition, next }) => current.next.set(nameOfPartition(partition), next));
  };

  const begin = (generation: ModelGeneration<Model>): Reading<Model> => {
    const current: Reading<Model> = {
      generation,
      next: new Map(),
      recent: last?.generation.name === generation.name ? last.recent : memoryOf(projection),
      fold: createGathering({
        workOn: (batches) => foldAll(current, batches),
        sizeOf: ({ records }) => records.length,
        maximumSize: maximumFoldedTogether,
      }),
    };
    return current;
  };

  /** Opens the live generation and moves every assigned partition to where its documents end. */
  const open = async () => {
    const current = begin(await writer.open());
    const positions = (await current.generation.positions()) ?? {};
    for (const partition of assigned) {
      const next = positions[partition.topic]?.[String(partition.partition)] ?? 0;
      current.next.set(nameOfPartition(partition), next);
      consumer.seek({ ...partition, offset: current.recent?.beginningFor(partition, next) ?? next });
    }
    reading = current;
    last = current;
    // Reading goes on elsewhere, and what was in hand may be folded.
    inHand.clear();
  };

  const openOnce = () => {
    reading = null;
    opening ??= open().finally(() => {
      opening = null;
    });
    return opening;
  };

  const openWithLog = () =>
    openOnce().catch((error: unknown) => {
      logger.warn({ model: projection.name, error: messageOf(error) }, 'the read model cannot be opened yet');
    });

  const apply = async (current: Reading<Model>, partition: TopicPartition, { records, end }: FetchedPart) => {
    const next = current.next.get(nameOfPartition(partition)) ?? 0;
    const fresh = records.filter(({ offset }) => offset >= next);
    const known = records.slice(0, records.length - fresh.length);
    current.recent?.remember(partition, known.map(recordIdOf), (known.at(-1)?.offset ?? -1) + 1);
    // Also without records: who waits for the log's end waits for the markers of transactions too.
    if (end > next) {
      const readable = await readOrSetAside(dependencies, fresh);
      await current.fold({ partition, records: readable, next: end });
    }
  };

  const takeInHand = (partition: TopicPartition, { records }: FetchedPart) => {
    const name = nameOfPartition(partition);
    const first = records.find(({ offset }) => offset >= (reading?.next.get(name) ?? 0));
    if (first !== undefined) {
      inHand.set(name, first.timestamp);
    }
  };

  const takeBatch = async (partition: TopicPartition, part: FetchedPart): Promise<number | null> => {
    const startedAt = performance.now();
    takeInHand(partition, part);
    const current = reading;
    try {
      if (current === null) {
        // Fetched from where the group had committed: the seek that comes with opening decides where to read instead.
        await openOnce();
        return null;
      }
      await apply(current, partition, part);
      inHand.delete(nameOfPartition(partition));
      dependencies.onBatch((performance.now() - startedAt) / 1000);
      // Opened anew meanwhile, reading goes on where the seek says: to move on from here would take that for a step back.
      return reading === current ? part.end : null;
    } catch (error) {
      logger.warn(
        { model: projection.name, ...partition, error: messageOf(error) },
        'a batch is tried again',
      );
      pauseForAWhile(consumer, partition);
      return null;
    }
  };

  const commit = async () => {
    const next = reading?.next ?? new Map<string, number>();
    const positions = assigned.flatMap((partition) => {
      const offset = next.get(nameOfPartition(partition));
      return offset === undefined || offset === committed.get(nameOfPartition(partition))
        ? []
        : [{ ...partition, offset }];
    });
    if (positions.length > 0 && (await consumer.commit(positions))) {
      positions.forEach((position) => committed.set(nameOfPartition(position), position.offset));
    }
  };

  /** Without traffic no batch would find out that the model is gone, and a model that is gone answers nothing. */
  const keepHouse = async () => {
    if (reading === null || (await reading.generation.positions().catch(() => undefined)) === null) {
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
        onRebalancing: () => void commit(),
        onBatch: takeBatch,
        onLost,
      });
      timer = setInterval(() => void keepHouse(), housekeepingIntervalMs);
    },
    stop: async () => {
      clearInterval(timer ?? undefined);
      await commit();
      await consumer.stop();
    },
    watermarks: () =>
      assigned.flatMap((partition) => {
        const offset = (reading ?? last)?.next.get(nameOfPartition(partition));
        return offset === undefined ? [] : [{ partition, offset }];
      }),
    unfinishedSince: () => (inHand.size === 0 ? null : Math.min(...inHand.values())),
  };
}

function memoryOf<Model extends ModelDocument>(projection: Projection<Model>): RecentRecords | null {
  const { rememberedRecords = 0 } = projection;
  return rememberedRecords === 0 ? null : createRecentRecords(rememberedRecords);
}

async function readOrSetAside<Model extends ModelDocument>(
  { projection, deadLetters, sift }: ProjectionRunnerDependencies<Model>,
  records: readonly RawRecord[],
): Promise<readonly ReadRecord<Model>[]> {
  const readable: ReadRecord<Model>[] = [];
  for (const record of await sift(records)) {
    const decoded = projection.read(record);
    if (decoded.readable) {
      readable.push({ record, foldings: decoded.content });
    } else {
      await deadLetters.append(record, decoded.reason);
    }
  }
  return readable;
}

function pauseForAWhile(consumer: GroupConsumer, partition: TopicPartition): void {
  consumer.pause(partition);
  void pause(retryPauseMs).then(() => {
    consumer.resume(partition);
  });
}
