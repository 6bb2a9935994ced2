import { setTimeout as pause } from 'node:timers/promises';

import { messageOf } from '../shared/errors.js';
import type { DeadLetters } from '../shared/kafka/deadLetters.js';
import type { GroupConsumer, TopicPartition } from '../shared/kafka/groupConsumer.js';
import type { Logger } from '../shared/logger.js';
import type { ModelDocument } from '../shared/mongo/documents.js';
import type { ModelGeneration, ModelWriter } from '../shared/mongo/modelWriter.js';
import type { RawRecord } from '../shared/topics/record.js';
import { foldBatch, type ReadRecord } from './foldBatch.js';
import type { Projection } from './projection.js';

export interface ProjectionRunner {
  start: (onLost: (error: Error) => void) => Promise<void>;
  stop: () => Promise<void>;
}

export interface ProjectionRunnerDependencies<Model extends ModelDocument> {
  readonly projection: Projection<Model>;
  readonly consumer: GroupConsumer;
  readonly writer: ModelWriter<Model>;
  readonly deadLetters: DeadLetters;
  readonly logger: Logger;
  /** Told how long each batch took, in seconds. */
  readonly onBatch: (seconds: number) => void;
}

/** The generation that is folded into, and the offset that each assigned partition folds next. */
interface Reading<Model extends ModelDocument> {
  readonly generation: ModelGeneration<Model>;
  readonly next: Map<string, number>;
}

const housekeepingIntervalMs = 1000;
const retryPauseMs = 500;

/**
 * Folds a model's topics into its live generation, each partition's batches one after the other.
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
  let opening: Promise<void> | null = null;
  let timer: NodeJS.Timeout | null = null;
  const committed = new Map<string, number>();

  /** Opens the live generation and moves every assigned partition to where its documents end. */
  const open = async () => {
    const generation = await writer.open();
    const positions = (await generation.positions()) ?? {};
    const next = new Map<string, number>();
    for (const partition of assigned) {
      const offset = positions[partition.topic]?.[String(partition.partition)] ?? 0;
      next.set(nameOf(partition), offset);
      consumer.seek({ ...partition, offset });
    }
    reading = { generation, next };
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

  /** Folds a batch and moves the position on, in this order: what dies between the two is folded again, to no effect. */
  const apply = async (current: Reading<Model>, partition: TopicPartition, records: readonly RawRecord[]) => {
    const next = current.next.get(nameOf(partition)) ?? 0;
    const fresh = records.filter(({ offset }) => offset >= next);
    const last = fresh.at(-1);
    if (last === undefined) {
      return;
    }
    await foldInto(current.generation, await readOrSetAside(dependencies, fresh));
    if ((await current.generation.advance(partition, last.offset + 1)) === 'emptied') {
      logger.warn({ model: projection.name }, 'the read model was emptied: it is built again from the log');
      await openWithLog();
      return;
    }
    current.next.set(nameOf(partition), last.offset + 1);
  };

  const takeBatch = async (
    partition: TopicPartition,
    records: readonly RawRecord[],
  ): Promise<number | null> => {
    const startedAt = performance.now();
    try {
      if (reading === null) {
        // Fetched from where the group had committed: the seek that comes with opening decides where to read instead.
        await openOnce();
        return null;
      }
      await apply(reading, partition, records);
      dependencies.onBatch((performance.now() - startedAt) / 1000);
      return records.at(-1)?.offset ?? null;
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
      const offset = next.get(nameOf(partition));
      return offset === undefined || offset === committed.get(nameOf(partition))
        ? []
        : [{ ...partition, offset }];
    });
    if (positions.length > 0 && (await consumer.commit(positions))) {
      positions.forEach((position) => committed.set(nameOf(position), position.offset));
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
  };
}

function nameOf({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`;
}

async function readOrSetAside<Model extends ModelDocument>(
  { projection, deadLetters }: ProjectionRunnerDependencies<Model>,
  records: readonly RawRecord[],
): Promise<readonly ReadRecord<Model>[]> {
  const readable: ReadRecord<Model>[] = [];
  for (const record of records) {
    const decoded = projection.read(record);
    if (decoded.readable) {
      readable.push({ record, folding: decoded.content });
    } else {
      await deadLetters.append(record, decoded.reason);
    }
  }
  return readable;
}

/** Another process may hold the same partition for a moment after a rebalance: whoever is second folds on the newer documents. */
async function foldInto<Model extends ModelDocument>(
  generation: ModelGeneration<Model>,
  records: readonly ReadRecord<Model>[],
): Promise<void> {
  const ids = [...new Set(records.map(({ folding }) => folding.id))];
  for (;;) {
    const changes = foldBatch(await generation.load(ids), records);
    if ((await generation.write(changes)) === 'written') {
      return;
    }
  }
}

function pauseForAWhile(consumer: GroupConsumer, partition: TopicPartition): void {
  consumer.pause(partition);
  void pause(retryPauseMs).then(() => {
    consumer.resume(partition);
  });
}
