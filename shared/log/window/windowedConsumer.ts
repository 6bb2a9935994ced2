import { setTimeout as pause } from 'node:timers/promises';

import { onAlignedInterval } from '../../concurrency/alignedTimers.js';
import type { Logger } from '../../core/logger.js';
import type { TopicPartition, TopicPartitionOffset } from '../client/topicPartition.js';
import type { DeadLetters } from '../deadLetters/deadLetters.js';
import { copyOfRecord, sizeOfRecord, type RawRecord } from '../encoding/record.js';
import type { FetchedPart } from '../group/batchReader.js';
import type { GroupConsumer } from '../group/groupConsumer.js';
import type { GroupProgress } from '../lag/groupReport.js';
import { createAssignedPartitions, type AssignedPartition } from './assignedPartitions.js';
import { createRetryingHandler, type Admitted, type HandleRecord } from './retryingHandler.js';
import { createWindowLimits, type WindowBounds } from './windowLimits.js';
import { createWorkInFlight, type WorkInFlight } from './workInFlight.js';

export type { HandleRecord, WorkResult } from './retryingHandler.js';

/** Decides when the work on a record in the window starts. */
export interface WindowAdmission {
  /**
   * Calls `start` once: at once, or when the record is admitted. Its argument is true if the record's owner exceeds its
   * share of the window. Then the record is deferred, so that others can pass.
   */
  readonly enter: (record: RawRecord, start: (isOverShare: boolean) => void) => void;
  /** The started work has ended. `isOverShare` is the argument that it was started with. */
  readonly leave: (record: RawRecord, isOverShare: boolean) => void;
}

export interface WindowedConsumerSettings {
  /** Handles one record. Many records are handled in parallel, in any order. */
  handle: HandleRecord;
  /** A cheap filter of the records to handle; all by default. Other records are skipped. */
  readonly filter?: (record: RawRecord) => boolean;
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

/** How long the other members wait for work in flight here, in milliseconds. It is less than the session timeout. */
const handOverLimitMs = 1500;
const commitFailedPauseMs = 100;

/** Admits all records at once. */
const admitAll: WindowAdmission = {
  enter: (_record, start) => {
    start(false);
  },
  leave: () => undefined,
};

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
  const holdMs = settings.holdMs ?? (() => 0);
  const assignments = createAssignedPartitions(consumer, { holdMs, onAssigned: settings.onAssigned });
  let unfinished = 0;
  let committing: Promise<void> | null = null;

  const assign = (assigned: readonly TopicPartition[]) => {
    assignments.assign(assigned);
    inFlight.release();
  };

  const admit = (record: RawRecord, assignment: AssignedPartition, takenAt: number) => {
    unfinished += 1;
    room.take(sizeOfRecord(record));
    admission.enter(record, (isOverShare) => void work(record, assignment, { takenAt, isOverShare }));
  };

  const work = async (record: RawRecord, assignment: AssignedPartition, admitted: Admitted) => {
    const { signal } = assignment.lost;
    const begin = () => handle(record, signal, admitted);
    try {
      // A handler that counts its own work in flight may wait and read while the group is rebalancing.
      const result = settings.inFlight === undefined ? await inFlight.run(signal, begin) : await begin();
      if (result === 'done') {
        assignment.window.finish(record.offset);
      }
    } finally {
      unfinished -= 1;
      room.give(sizeOfRecord(record));
      admission.leave(record, admitted.isOverShare);
      resumeWithRoom(assignment);
    }
  };

  /** Half empty, so that a partition at its limit is not paused and resumed for every record. */
  const resumeWithRoom = (assignment: AssignedPartition) => {
    if (assignment.paused && room.isHalfEmpty(assignment.window) && !assignment.lost.signal.aborted) {
      assignment.paused = false;
      consumer.resume(assignment.partition);
    }
  };

  /** The partition is resumed by its condition: room in its window, or the release of this record. */
  const mustWait = (assignment: AssignedPartition, record: RawRecord): boolean => {
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
  const hasBeginning = async (assignment: AssignedPartition, offset: number): Promise<boolean> => {
    if (assignment.committed === null && (await consumer.commit([{ ...assignment.partition, offset }]))) {
      assignment.committed = offset;
    }
    // A batch that was not taken is fetched again at once.
    await (assignment.committed === null ? pause(commitFailedPauseMs) : null);
    return assignment.committed !== null;
  };

  const takeBatch = async (partition: TopicPartition, part: FetchedPart) => {
    const assignment = assignments.find(partition);
    if (assignment === undefined || !(await hasBeginning(assignment, part.begin))) {
      return null;
    }
    return takeRecords(assignment, part);
  };

  /** Records that wait in a tier do not count as unfinished before their release. */
  const sinceOf = ({ partition }: AssignedPartition, { timestamp }: RawRecord) =>
    timestamp + holdMs(partition);

  const takeRecords = (
    assignment: AssignedPartition,
    { records, end: endOfPart }: FetchedPart,
  ): number | null => {
    if (assignment.lost.signal.aborted) {
      return null;
    }
    const takenAt = performance.now();
    let next: number | null = null;
    for (const record of records) {
      if (settings.filter?.(record) === false) {
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
    const positions = assignments.all().flatMap((assignment) => {
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
      assignments.endAll();
      inFlight.release();
      const deadline = performance.now() + deadlineMs;
      await handOver();
      await consumer.stop();
      await untilTrue(() => unfinished === 0, deadline - performance.now());
    },
    unfinished: () => unfinished,
    watermarks: assignments.watermarks,
    unfinishedSince: assignments.unfinishedSince,
  };
}

async function untilTrue(condition: () => boolean, deadlineMs: number): Promise<void> {
  const deadline = Date.now() + deadlineMs;
  while (!condition() && Date.now() < deadline) {
    await pause(20);
  }
}
