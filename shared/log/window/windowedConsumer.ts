import { setTimeout as pause } from 'node:timers/promises';

import { onAlignedInterval } from '../../concurrency/alignedTimers.js';
import type { Logger } from '../../core/logger.js';
import { nameOfPartition, type TopicPartition, type TopicPartitionOffset } from '../client/topicPartition.js';
import type { DeadLetters } from '../deadLetters/deadLetters.js';
import { sizeOfRecord, copyOfRecord, type RawRecord } from '../encoding/record.js';
import type { FetchedPart } from '../group/batchReader.js';
import type { GroupConsumer } from '../group/groupConsumer.js';
import type { GroupProgress } from '../lag/groupReport.js';
import { createDelayGate, type DelayGate } from './delayGate.js';
import { createPartitionWindow, type PartitionWindow } from './partitionWindow.js';
import { createRetryingHandler, type Admitted, type HandleRecord } from './retryingHandler.js';
import { admitAll, type WindowAdmission } from './windowAdmission.js';
import { createWindowLimits, type WindowBounds } from './windowLimits.js';
import { createWorkInFlight, type WorkInFlight } from './workInFlight.js';

export type { HandleRecord, WorkResult } from './retryingHandler.js';

export interface WindowedConsumerSettings {
  /** Handles one record. Many records are handled in parallel, in any order. */
  handle: HandleRecord;
  /** A cheap filter of the records to handle; all by default. Other records are skipped. */
  readonly concerns?: (record: RawRecord) => boolean;
  /** Decides when the work on each record starts; at once by default. */
  readonly admission?: WindowAdmission;
  /** Called when a partition is assigned, with the signal for all of its records. */
  onAssigned: (partition: TopicPartition, signal: AbortSignal) => void;
  /**
   * The delay of a partition's records after their append, in milliseconds; none by default. It is the same for the
   * whole partition, so that records are released in order.
   */
  readonly holdMs?: (partition: TopicPartition) => number;
  readonly bounds: WindowBounds;
  readonly commitIntervalMs: number;
  /**
   * Finishes the work in flight, within a limit, before partitions are handed over. By default this is the work on each
   * record from its first step. A handler that queues its work counts only started work here.
   */
  readonly inFlight?: WorkInFlight;
}

export interface WindowedConsumer extends GroupProgress {
  start: (onLost: (error: Error) => void) => Promise<void>;
  /**
   * Starts no further work. Commits and leaves the group after at most two seconds. Finishes the work that is still in
   * flight, up to the deadline.
   */
  stop: (deadlineMs: number) => Promise<void>;
  /** The number of unfinished records in the window. */
  unfinished: () => number;
}

interface Assignment {
  readonly partition: TopicPartition;
  readonly window: PartitionWindow;
  readonly gate: DelayGate;
  readonly lost: AbortController;
  committed: number | null;
  paused: boolean;
}

/** How long the other members wait for work in flight here, in milliseconds. It is less than the session timeout. */
const handOverLimitMs = 1500;
const commitFailedPauseMs = 100;

/**
 * Handles the records of a group's partitions in any order without losing one. The committed offset is the lowest
 * unfinished one. A partition whose window is full is paused, but no other partition is.
 *
 * A rebalance preserves the windows of retained partitions. The broker redelivers all records above the committed
 * offset, and records that are done or in flight must not be handled twice.
 */
export function createWindowedConsumer(
  dependencies: { consumer: GroupConsumer; deadLetters: DeadLetters; logger: Logger },
  settings: WindowedConsumerSettings,
): WindowedConsumer {
  const { consumer } = dependencies;
  const inFlight = settings.inFlight ?? createWorkInFlight();
  const handle = createRetryingHandler(dependencies, settings.handle);
  const room = createWindowLimits(settings.bounds);
  const admission = settings.admission ?? admitAll;
  let assignments = new Map<string, Assignment>();
  let underWay = 0;
  let committing: Promise<void> | null = null;
  let stopping = false;

  const created = (partition: TopicPartition): Assignment => {
    const lost = new AbortController();
    const resume = () => {
      if (!lost.signal.aborted) {
        consumer.resume(partition);
      }
    };
    const gate = createDelayGate(settings.holdMs?.(partition) ?? 0, resume);
    lost.signal.addEventListener('abort', gate.close, { once: true });
    return { partition, window: createPartitionWindow(), gate, lost, committed: null, paused: false };
  };

  const open = ({ partition, lost }: Assignment) => {
    // The partition may still be paused from an earlier assignment with a full window, because kafkajs remembers that.
    consumer.resume(partition);
    settings.onAssigned(partition, lost.signal);
  };

  /** Starts no further work. Without the pause, the same records would be fetched repeatedly. */
  const end = ({ partition, lost }: Assignment) => {
    lost.abort();
    consumer.pause(partition);
  };

  const assign = (assigned: readonly TopicPartition[]) => {
    const previous = assignments;
    assignments = new Map();
    for (const partition of assigned) {
      const kept = previous.get(nameOfPartition(partition));
      const assignment = kept ?? created(partition);
      assignments.set(nameOfPartition(partition), assignment);
      if (stopping) {
        end(assignment);
      } else if (kept === undefined) {
        open(assignment);
      }
    }
    for (const [name, { lost }] of previous) {
      if (!assignments.has(name)) {
        lost.abort();
      }
    }
    inFlight.release();
  };

  const admit = (record: RawRecord, assignment: Assignment, takenAt: number) => {
    underWay += 1;
    room.take(sizeOfRecord(record));
    admission.enter(record, (isOverShare) => void work(record, assignment, { takenAt, isOverShare }));
  };

  const work = async (record: RawRecord, assignment: Assignment, admitted: Admitted) => {
    const { signal } = assignment.lost;
    const begin = () => handle(record, signal, admitted);
    try {
      // A handler that counts its own work in flight may wait and read while the group is rebalancing.
      const result = settings.inFlight === undefined ? await inFlight.run(signal, begin) : await begin();
      if (result === 'done') {
        assignment.window.finish(record.offset);
      }
    } finally {
      underWay -= 1;
      room.give(sizeOfRecord(record));
      admission.leave(record, admitted.isOverShare);
      resumeWithRoom(assignment);
    }
  };

  /** Half empty, so that a partition at its limit is not paused and resumed for every record. */
  const resumeWithRoom = (assignment: Assignment) => {
    if (assignment.paused && room.isHalfEmpty(assignment.window) && !assignment.lost.signal.aborted) {
      assignment.paused = false;
      consumer.resume(assignment.partition);
    }
  };

  /** The partition is resumed by its condition: room in its window, or the release of this record. */
  const mustWait = (assignment: Assignment, record: RawRecord): boolean => {
    if (room.isFull(assignment.window)) {
      assignment.paused = true;
      return true;
    }
    return assignment.gate.holds(record);
  };

  /**
   * A group commits its start offsets before any work. So outcomes without a committed offset show that the offsets
   * have expired.
   */
  const hasBeginning = async (assignment: Assignment, offset: number): Promise<boolean> => {
    if (assignment.committed === null && (await consumer.commit([{ ...assignment.partition, offset }]))) {
      assignment.committed = offset;
    }
    // A batch that was not taken is fetched again at once.
    await (assignment.committed === null ? pause(commitFailedPauseMs) : null);
    return assignment.committed !== null;
  };

  const takeBatch = async (partition: TopicPartition, part: FetchedPart) => {
    const assignment = assignments.get(nameOfPartition(partition));
    if (assignment === undefined || !(await hasBeginning(assignment, part.begin))) {
      return null;
    }
    return takeRecords(assignment, part);
  };

  /** Records that wait in a tier do not count as unfinished before their release. */
  const sinceOf = ({ partition }: Assignment, { timestamp }: RawRecord) =>
    timestamp + (settings.holdMs?.(partition) ?? 0);

  const takeRecords = (assignment: Assignment, { records, end: endOfPart }: FetchedPart): number | null => {
    if (assignment.lost.signal.aborted) {
      return null;
    }
    const takenAt = performance.now();
    let next: number | null = null;
    for (const record of records) {
      if (settings.concerns?.(record) === false) {
        next = record.offset + 1;
        assignment.window.skipTo(next);
        continue;
      }
      if (mustWait(assignment, record)) {
        consumer.pause(assignment.partition);
        return next;
      }
      if (assignment.window.begin(record.offset, sizeOfRecord(record), sinceOf(assignment, record))) {
        admit(copyOfRecord(record), assignment, takenAt);
      }
      next = record.offset + 1;
    }
    assignment.window.skipTo(endOfPart);
    return endOfPart;
  };

  const commitProgress = async () => {
    const positions = [...assignments.values()].flatMap((assignment) => {
      const offset = assignment.window.watermark();
      return offset === null || offset === assignment.committed ? [] : [{ assignment, offset }];
    });
    const offsets = positions.map(({ assignment, offset }): TopicPartitionOffset => ({
      ...assignment.partition,
      offset,
    }));
    if (offsets.length > 0 && (await consumer.commit(offsets))) {
      for (const { assignment, offset } of positions) {
        assignment.committed = offset;
      }
    }
  };

  const commitOnce = () => {
    committing ??= commitProgress().finally(() => {
      committing = null;
    });
    return committing;
  };

  /** Other members wait for this. Work that hangs continues, and the next owner reads its record again. */
  const handOver = async () => {
    await inFlight.ended(handOverLimitMs);
    await committing; // It has older offsets. Two commits in flight could arrive in the wrong order.
    await commitOnce();
  };

  let endCommits: () => void = () => undefined;
  return {
    start: async (onLost) => {
      await consumer.start({
        onAssignment: assign,
        onRebalancing: () => {
          inFlight.hold();
          return handOver();
        },
        onBatch: takeBatch,
        onLost,
      });
      endCommits = onAlignedInterval(settings.commitIntervalMs, () => void commitOnce());
    },
    stop: async (deadlineMs) => {
      endCommits();
      stopping = true;
      assignments.forEach(end);
      inFlight.release();
      const deadline = performance.now() + deadlineMs;
      await handOver();
      await consumer.stop();
      await untilTrue(() => underWay === 0, deadline - performance.now());
    },
    unfinished: () => underWay,
    watermarks: () =>
      [...assignments.values()].map(({ partition, window, committed }) => ({
        partition,
        offset: window.watermark() ?? committed,
      })),
    unfinishedSince: () => {
      const moments = [...assignments.values()].map(({ window }) => window.unfinishedSince());
      const known = moments.filter((moment) => moment !== null);
      return known.length === 0 ? null : Math.min(...known);
    },
  };
}

async function untilTrue(condition: () => boolean, deadlineMs: number): Promise<void> {
  const deadline = Date.now() + deadlineMs;
  while (!condition() && Date.now() < deadline) {
    await pause(20);
  }
}
