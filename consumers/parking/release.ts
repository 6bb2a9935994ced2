import { setTimeout as pause } from 'node:timers/promises';

import { messageOf } from '../../shared/core/errors.js';
import type { TopicOffsets } from '../../shared/log/client/topicOffsets.js';
import type { TopicPartition } from '../../shared/log/client/topicPartition.js';
import { backlogLanes } from '../../shared/store/models/documents.js';
import type { ModelProgress } from '../../shared/store/models/modelProgress.js';
import type { Assignments } from '../lookups/assignmentEndOffsets.js';
import { createBacklogLoader, type BacklogLoaderDependencies } from './backlogLoader.js';
import type { BacklogPages } from './backlogPages.js';
import { beginning, createBacklogs, forgetEnded, type Backlog, type ParkedDelivery } from './backlogs.js';
import type { KnownBacklogs } from './knownBacklogs.js';

export interface ReleaseDependencies extends BacklogLoaderDependencies {
  readonly pages: BacklogPages;
  readonly known: Pick<KnownBacklogs, 'add'>;
  readonly assignments: Pick<Assignments, 'of'>;
  readonly offsets: Pick<TopicOffsets, 'ends'>;
  /** The progress of the model `events`. */
  readonly progress: ModelProgress;
}

/** The release of parked deliveries in the partitions that this process owns in the group `requests`. */
export interface Release {
  /** Must be called when a partition of `deliveries` is assigned, with the signal of the assignment. */
  readonly assign: (partition: TopicPartition, signal: AbortSignal) => void;
  /** Must be called for each parking record that the process reads. */
  readonly parked: (delivery: ParkedDelivery) => void;
  /** The partitions whose backlogs this process releases. */
  readonly homes: () => readonly number[];
  /** Resolves when all loaded attempts have ended, or at the deadline. */
  readonly ended: (deadlineMs: number) => Promise<void>;
}

interface OwnedPartition {
  readonly signal: AbortSignal;
  /** Whether the model contains the outcomes of the partition's previous owner. */
  isReady: boolean;
}

const modelTimeoutMs = 10_000;
const retryPauseMs = 1000;
/** The time after which a parking record is usually folded. Records in this time share one examination. */
const foldedAfterMs = 500;
/** The interval at which backlogs are examined without another cause, so that a raised limit takes effect soon. */
const tickMs = 2000;
/** The interval at which all backlogs are listed again, in case that a parking record was missed. */
const listMs = 300_000;
/** The interval at which a stop checks whether attempts are in flight. */
const stopCheckMs = 20;

/**
 * The release of backlogs. No delivery has a time: a backlog is examined after an attempt has ended or a delivery was
 * parked.
 *
 * ```
 *   partition assigned ──► hand-over of the previous owner in the model ──► backlogs listed ─┐
 *   parking record read ────────────────────────────────────────────────────────────────────┼─► ring
 *   attempt ended, or two seconds have passed ──────────────────────────────────────────────┘    │
 *          ┌──────────────────────────────────────────────────────────────────────────────────────┘
 *          └─► room ──► page of the first entries ──► attempts ──► outcome: the entry is gone
 * ```
 */
export function createRelease(dependencies: ReleaseDependencies): Release {
  const { pages, known, assignments, offsets, progress, now, logger } = dependencies;
  const backlogs = createBacklogs();
  const owned = new Map<number, OwnedPartition>();
  const loader = createBacklogLoader(dependencies, ({ home }) => owned.get(home)?.isReady === true);
  let ticking: NodeJS.Timeout | null = null;
  let examining: NodeJS.Timeout | null = null;
  let listedAt = now();

  const examineAll = async () => {
    const isWaiting = [...backlogs.all()].some(({ recent }) => recent.size > 0);
    const positions = isWaiting ? await pages.positions().catch(() => null) : null;
    for (const backlog of backlogs.all()) {
      // A page that is being read may be older than the positions.
      if (!backlog.isReading) {
        forgetEnded(backlog, { positions, time: now() });
      }
      beginAgain(backlog);
      backlogs.forgetIfEnded(backlog);
    }
    loader.examine(backlogs.all());
  };

  const add = (delivery: ParkedDelivery): boolean => {
    const partition = owned.get(delivery.home);
    if (partition === undefined || partition.signal.aborted) {
      return false;
    }
    known.add(delivery.webhookId);
    backlogs.add(delivery, partition.signal);
    startTicks();
    return true;
  };

  const list = async (homes: readonly number[]) => {
    listedAt = now();
    const found = await pages.all(homes);
    found.forEach((backlog) => add({ ...backlog, offsets: { deliveries: -1, events: -1 } }));
  };

  /** The ticks end with the last backlog of the last partition. */
  const startTicks = () => {
    ticking ??= setTimeout(() => {
      ticking = null;
      void examineAll();
      if (now() - listedAt > listMs) {
        list([...owned.keys()]).catch(() => null);
      }
      if (owned.size > 0) {
        startTicks();
      }
    }, tickMs).unref();
  };

  /** Waits until the model contains the outcomes of the previous owner, and lists the backlogs of a partition. */
  const prepare = async (partition: TopicPartition, state: OwnedPartition): Promise<boolean> => {
    const { partition: home } = partition;
    const assignment = await assignments.of(partition, state.signal);
    const deliveries = await assignment.deliveriesAfterHandOver();
    const events = await offsets.ends('events');
    const ends = { deliveries: deliveries[home] ?? 0, events: events[home] ?? 0 };
    const reached = await Promise.all([
      progress.reached('deliveries', new Map([[home, ends.deliveries]]), modelTimeoutMs),
      progress.reached('events', new Map([[home, ends.events]]), modelTimeoutMs),
    ]);
    if (reached.includes(false)) {
      return false;
    }
    await list([home]);
    state.isReady = true;
    void examineAll();
    return true;
  };

  const prepareUntilReady = async (partition: TopicPartition, state: OwnedPartition) => {
    for (let isReady = false; !isReady && !state.signal.aborted;) {
      isReady = await prepare(partition, state).catch((error: unknown) => {
        logger.warn(
          { partition: partition.partition, error: messageOf(error) },
          'the backlogs of a partition cannot be listed, and are listed again',
        );
        return false;
      });
      await (isReady ? null : pause(retryPauseMs));
    }
  };

  return {
    assign: (partition, signal) => {
      const state = { signal, isReady: false };
      owned.set(partition.partition, state);
      signal.addEventListener('abort', () => {
        if (owned.get(partition.partition) === state) {
          owned.delete(partition.partition);
        }
      });
      startTicks();
      void prepareUntilReady(partition, state);
    },
    parked: (delivery) => {
      if (add(delivery)) {
        examining ??= setTimeout(() => {
          examining = null;
          void examineAll();
        }, foldedAfterMs).unref();
      }
    },
    homes: () => [...owned.keys()],
    ended: async (deadlineMs) => {
      const deadline = performance.now() + deadlineMs;
      while (loader.loaded() > 0 && performance.now() < deadline) {
        await pause(stopCheckMs);
      }
    },
  };
}

/** The next page begins with the oldest delivery: it may have been parked below those that are loaded. */
function beginAgain({ partitions }: Backlog): void {
  for (const { lanes } of partitions.values()) {
    backlogLanes.forEach((lane) => {
      lanes[lane].above = beginning;
      lanes[lane].isExhausted = false;
    });
  }
}
