import { setImmediate as endOfTurn, setTimeout as pause } from 'node:timers/promises';

import { messageOf } from '../../shared/core/errors.js';
import type { Logger } from '../../shared/core/logger.js';
import { nameOfPartition, type TopicPartition } from '../../shared/log/client/topicPartition.js';
import { recordIdOf } from '../../shared/log/encoding/cloudEvent.js';
import { partBelow, type FetchedPart } from '../../shared/log/group/batchReader.js';
import type { GroupConsumer, GroupConsumerHandlers } from '../../shared/log/group/groupConsumer.js';
import { manyRecords } from '../../shared/log/group/kafkajsConsumer.js';
import type { ModelDocument } from '../../shared/store/models/documents.js';
import type { Batch } from '../fold/foldBatches.js';
import type { RecentRecordIds } from '../fold/recentRecordIds.js';
import type { FoldSession } from './foldSession.js';
import type { FoldSessions } from './foldSessions.js';
import { readOrDeadLetter, type RecordReader } from './readRecords.js';

export interface FoldFetchedDependencies<Model extends ModelDocument> {
  readonly sessions: Pick<FoldSessions<Model>, 'current' | 'reopen'>;
  readonly reader: RecordReader<Model>;
  readonly recentIds: Pick<RecentRecordIds, 'remember'> | null;
  readonly oldestPending: OldestPending<Model>;
  readonly consumer: Pick<GroupConsumer, 'pause' | 'resume'>;
  /** The offset of a partition below which the runner folds records for now. */
  readonly endOffsetOf: (partition: TopicPartition) => number;
  /** Called with the duration of each batch, in seconds. */
  readonly onBatch: (seconds: number) => void;
  readonly logger: Pick<Logger, 'warn'>;
}

const retryPauseMs = 500;

/** Creates the handler that decodes fetched records, and folds them in the current session. */
export function createFoldFetched<Model extends ModelDocument>(
  dependencies: FoldFetchedDependencies<Model>,
): GroupConsumerHandlers['onBatch'] {
  const { sessions, reader, recentIds, oldestPending, consumer, endOffsetOf, onBatch, logger } = dependencies;

  const logRetry = (partition: TopicPartition, error: unknown) => {
    const details = { model: reader.projection.name, ...partition, error: messageOf(error) };
    logger.warn(details, 'a batch is retried');
  };

  const pauseBriefly = (partition: TopicPartition) => {
    consumer.pause(partition);
    void pause(retryPauseMs).then(() => {
      consumer.resume(partition);
    });
  };

  const fold = async (session: FoldSession<Model>, batch: Batch<Model>) => {
    const startedAt = performance.now();
    await session.fold(batch);
    if (session.isOpen()) {
      oldestPending.finish(batch, session.nextOffsetOf(batch.partition) === batch.nextOffset);
      onBatch((performance.now() - startedAt) / 1000);
    }
  };

  const readAndFold = async (
    session: FoldSession<Model>,
    partition: TopicPartition,
    { records, end, next }: FetchedPart & { readonly next: number },
  ) => {
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
    const result = fold(session, { partition, records: decoded, nextOffset: end, filteredAt });
    if (unfolded.length < manyRecords) {
      await result;
      return;
    }
    // Under load the next batch is fetched and decoded while this batch is folded.
    result.catch((error: unknown) => {
      logRetry(partition, error);
      pauseBriefly(partition);
    });
    await session.waitForCapacity();
  };

  return async (partition, fetched) => {
    const session = sessions.current();
    const part = partBelow(fetched, endOffsetOf(partition));
    const next = session.isOpen() ? session.nextOffsetOf(partition) : 0;
    if (part === null || next === null) {
      // A partition without a next offset was fetched before the group removed this member. Another member folds it.
      pauseBriefly(partition);
      return null;
    }
    oldestPending.begin(partition, part.records.find(({ offset }) => offset >= next)?.timestamp);
    try {
      if (session.isOpen()) {
        await readAndFold(session, partition, { ...part, next });
        // If the session was closed meanwhile, the seek of the next one decides the offset.
        return session.isOpen() ? part.end : null;
      }
      // The records were fetched from the committed offset, and opening a session seeks to the position of the model.
      await sessions.reopen();
      if (sessions.current().isOpen()) {
        return null;
      }
    } catch (error) {
      logRetry(partition, error);
    }
    pauseBriefly(partition);
    return null;
  };
}

/** The age of the oldest record of each partition that was fetched and is not folded yet. */
export interface OldestPending<Model extends ModelDocument> {
  /** @param timestamp when the first pending record was appended, in milliseconds since 1970; undefined without one */
  begin: (partition: TopicPartition, timestamp: number | undefined) => void;
  /** @param isLast whether no later batch of the partition is pending */
  finish: (batch: Batch<Model>, isLast: boolean) => void;
  clear: () => void;
  /** When the oldest pending record was appended, or null if no record is pending. */
  since: () => number | null;
}

export function createOldestPending<Model extends ModelDocument>(): OldestPending<Model> {
  const timestamps = new Map<string, number>();
  return {
    begin: (partition, timestamp) => {
      const name = nameOfPartition(partition);
      if (timestamp !== undefined && !timestamps.has(name)) {
        timestamps.set(name, timestamp);
      }
    },
    finish: ({ partition, records }, isLast) => {
      const name = nameOfPartition(partition);
      const last = records.at(-1)?.record.timestamp ?? timestamps.get(name);
      if (isLast || last === undefined) {
        timestamps.delete(name);
      } else {
        // Later records of the partition were appended no earlier than the last record of the batch.
        timestamps.set(name, last);
      }
    },
    clear: () => {
      timestamps.clear();
    },
    since: () => (timestamps.size === 0 ? null : Math.min(...timestamps.values())),
  };
}
