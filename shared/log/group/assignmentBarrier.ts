import { setTimeout as pause } from 'node:timers/promises';

import type { GroupConsumer } from './groupConsumer.js';
import { nameOfPartition, type TopicPartition, type TopicPartitionOffset } from '../client/topicPartition.js';

/**
 * Prepares an assigned partition before its first record is read or an offset is committed. A preparation never
 * rejects. The preparation repeats failed steps until the signal shows that the partition was revoked.
 * @returns the offset to commit at once, which marks the preparation as complete; null if no preparation was needed
 */
export type PreparePartition = (partition: TopicPartition, signal: AbortSignal) => Promise<number | null>;

interface Preparation {
  readonly lost: AbortController;
  isReady: boolean;
  /** Whether the consumer would fetch the partition if it were prepared. */
  isWanted: boolean;
}

const commitPauseMs = 100;

/**
 * A consumer that fetches no record of a partition before the preparation of the partition is complete. During a
 * preparation, the consumer fetches its other, prepared partitions. If the process dies during a preparation, the next
 * owner repeats it, because no offset was committed.
 */
export function createAssignmentBarrier(consumer: GroupConsumer, prepare: PreparePartition): GroupConsumer {
  let preparations = new Map<string, Preparation>();

  /** Commits an offset, with retries because the group rejects commits right after a join. */
  const commit = async (position: TopicPartitionOffset, signal: AbortSignal) => {
    while (!signal.aborted && !(await consumer.commit([position]))) {
      await pause(commitPauseMs);
    }
  };

  const run = async (partition: TopicPartition, preparation: Preparation) => {
    const { lost } = preparation;
    const settledAt = await prepare(partition, lost.signal);
    if (settledAt !== null) {
      await commit({ ...partition, offset: settledAt }, lost.signal);
    }
    preparation.isReady = !lost.signal.aborted;
    if (preparation.isReady && preparation.isWanted) {
      consumer.resume(partition);
    }
  };

  const begin = (partition: TopicPartition): Preparation => {
    const preparation = { lost: new AbortController(), isReady: false, isWanted: true };
    consumer.pause(partition);
    void run(partition, preparation);
    return preparation;
  };

  const assign = (assigned: readonly TopicPartition[]) => {
    const previous = preparations;
    preparations = new Map(
      assigned.map((partition) => {
        const name = nameOfPartition(partition);
        return [name, previous.get(name) ?? begin(partition)] as const;
      }),
    );
    for (const [name, { lost }] of previous) {
      if (!preparations.has(name)) {
        lost.abort();
      }
    }
  };

  const want = (partition: TopicPartition, isWanted: boolean): Preparation | undefined => {
    const preparation = preparations.get(nameOfPartition(partition));
    if (preparation !== undefined) {
      preparation.isWanted = isWanted;
    }
    return preparation;
  };

  return {
    ...consumer,
    start: (handlers) =>
      consumer.start({
        ...handlers,
        onAssignment: (assigned) => {
          assign(assigned);
          handlers.onAssignment(assigned);
        },
        onBatch: (partition, part) => {
          if (preparations.get(nameOfPartition(partition))?.isReady === true) {
            return handlers.onBatch(partition, part);
          }
          consumer.pause(partition);
          return Promise.resolve(null);
        },
      }),
    pause: (partition) => {
      want(partition, false);
      consumer.pause(partition);
    },
    resume: (partition) => {
      if (want(partition, true)?.isReady !== false) {
        consumer.resume(partition);
      }
    },
    stop: () => {
      preparations.forEach(({ lost }) => lost.abort());
      return consumer.stop();
    },
  };
}
