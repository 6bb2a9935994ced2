import { setTimeout as pause } from 'node:timers/promises';

import { messageOf } from '../shared/errors.js';
import type { FetchedPart } from '../shared/kafka/batchReader.js';
import type { DeadLetters } from '../shared/kafka/deadLetters.js';
import type { GroupConsumer, TopicPartition } from '../shared/kafka/groupConsumer.js';
import type { GroupProgress } from '../shared/kafka/groupReport.js';
import { nameOfPartition } from '../shared/kafka/topicPartition.js';
import type { TopicBounds } from '../shared/kafka/topicOffsets.js';
import type { Logger } from '../shared/logger.js';
import type { ModelDocument } from '../shared/mongo/documents.js';
import type { ModelGeneration } from '../shared/mongo/modelGeneration.js';
import type { Presence } from '../shared/mongo/presence.js';
import { recordIdOf } from '../shared/topics/cloudEvent.js';
import type { RawRecord } from '../shared/topics/record.js';
import type { ReadRecord } from './foldBatch.js';
import { foldTogether, type Batch } from './folding.js';
import { createGathering, type Gather } from './gathering.js';
import { readLogBeginnings, skipDeleted, type SkippedRecords } from './logBeginnings.js';
import type { Projection } from './projection.js';
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
  readonly presence: Presence;
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
}

/** The offset that each assigned partition folds next, and how what comes from them is folded. */
interface Reading<Model extends ModelDocument> {
  readonly next: Map<string, number>;
  readonly fold: Gather<Batch<Model>>;
}

const housekeepingIntervalMs = 1000;
const retryPauseMs = 500;
/** What is folded in one go, in records, but for a single batch with more. */
const maximumFoldedTogether = 2000;

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
  const { projection, consumer, generation, presence, logger } = dependencies;
  const { endOf = () => Number.POSITIVE_INFINITY } = dependencies;
  /** Null where none are needed. */
  const recent = memoryOf(projection);
  let emptied = false;
  let assigned: readonly TopicPartition[] = [];
  let reading: Reading<Model> | null = null;
  let last: Reading<Model> | null = null;
  let opening: Promise<void> | null = null;
  let timer: NodeJS.Timeout | null = null;
  const committed = new Map<string, number>();
  /** When the first record of what each partition has in hand was appended. */
  const inHand = new Map<string, number>();

  /** What is in MongoDB now is not what was folded: another generation begins from the log's beginning. */
  const giveUp = () => {
    reading = null;
    if (!emptied) {
      emptied = true;
      logger.warn({ model: projection.name, generation: generation.name }, 'the read model was emptied');
      dependencies.onEmptied();
    }
  };

  const foldAll = async (current: Reading<Model>, batches: readonly Batch<Model>[]) => {
    const before = recent === null ? null : { ...recent, goesOn: () => reading === current };
    if ((await foldTogether(batches, generation, before)) === 'emptied') {
      giveUp();
      return;
    }
    batches.forEach(({ partition, next }) => current.next.set(nameOfPartition(partition), next));
  };

  const begin = (): Reading<Model> => {
    const current: Reading<Model> = {
      next: new Map(),
      fold: createGathering({
        workOn: (batches) => foldAll(current, batches),
        sizeOf: ({ records }) => records.length,
        maximumSize: maximumFoldedTogether,
      }),
    };
    return current;
  };

  /** Moves every assigned partition to where the documents end. */
  const open = async () => {
    const positions = await generation.positions();
    if (positions === null) {
      giveUp();
      return;
    }
    const beginningOf = await readLogBeginnings(dependencies.offsets, assigned);
    const current = begin();
    const skipped: SkippedRecords[] = [];
    for (const partition of assigned) {
      const folded = positions[partition.topic]?.[String(partition.partition)] ?? 0;
      const beginning = beginningOf(partition);
      const next = Math.max(folded, beginning);
      skipped.push({ ...partition, from: folded, offset: next });
      current.next.set(nameOfPartition(partition), next);
      const from = recent?.beginningFor(partition, next) ?? next;
      consumer.seek({ ...partition, offset: Math.max(from, beginning) });
    }
    await skipDeleted(skipped, generation, { logger, model: projection.name });
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
    recent?.remember(partition, known.map(recordIdOf), (known.at(-1)?.offset ?? -1) + 1);
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
    const taken = emptied ? null : partBelow(part, endOf(partition));
    takeInHand(partition, part);
    const current = reading;
    try {
      if (taken === null) {
        pauseForAWhile(consumer, partition);
        return null;
      }
      if (current === null) {
        // Fetched from where the group had committed: the seek that comes with opening decides where to read instead.
        await openOnce();
        return null;
      }
      await apply(current, partition, taken);
      inHand.delete(nameOfPartition(partition));
      dependencies.onBatch((performance.now() - startedAt) / 1000);
      // Opened anew meanwhile, reading goes on where the seek says: to move on from here would take that for a step back.
      return reading === current ? taken.end : null;
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
    if (!emptied && (reading === null || !(await presence.isThere(generation.name).catch(() => true)))) {
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

/** What of a part stands below an offset; null where nothing does. */
function partBelow(part: FetchedPart, end: number): FetchedPart | null {
  if (part.end <= end) {
    return part;
  }
  const { begin, records } = part;
  return begin < end ? { begin, end, records: records.filter(({ offset }) => offset < end) } : null;
}

function memoryOf<Model extends ModelDocument>(projection: Projection<Model>): RecentRecords | null {
  const { rememberedRecords = 0 } = projection;
  return rememberedRecords === 0 ? null : createRecentRecords(rememberedRecords);
}

/** @param records of one partition */
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
      // As it stands in the log: what was sealed stays so.
      await deadLetters.append(
        records.find(({ offset }) => offset === record.offset) ?? record,
        decoded.reason,
      );
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
