import { setTimeout as pause } from 'node:timers/promises';

import { onAlignedInterval } from '../../concurrency/alignedTimers.js';
import type { Logger } from '../../core/logger.js';
import type { TopicPartition } from '../client/topicPartition.js';
import type { DeadLetters } from '../deadLetters/deadLetters.js';
import { copyOfRecord, sizeOfRecord, type RawRecord } from '../encoding/record.js';
import type { FetchedPart } from '../group/batchReader.js';
import type { GroupConsumer } from '../group/groupConsumer.js';
import type { GroupProgress } from '../lag/groupReport.js';
import { createAssignedPartitions, type AssignedPartition } from './assignedPartitions.js';
import { createPartitionCommits, type ReadTakenUp } from './partitionCommits.js';
import { createRetryingHandler, type Admitted, type HandleRecord } from './retryingHandler.js';
import { createWindowLimits, type WindowBounds } from './windowLimits.js';
import { createWorkInFlight, type WorkInFlight } from './workInFlight.js';

/** Decides when a record in the window is handled. */
export interface WindowAdmission {
  /**
   * Calls `start` once, when the record is admitted. The argument of `start` says if the record's owner is over its
   * share of the window. A record of an owner over its share is deferred.
   */
  readonly enter: (record: RawRecord, start: (isOverShare: boolean) => void) => void;
  /**
   * Called once before `leave`, when the work of a record has begun or has ended, or the log contains its set of
   * deliveries.
   */
  readonly started?: (record: RawRecord, isOverShare: boolean) => void;
  /** Called when the handling of a record has ended. `isOverShare` is the argument with which `start` was called. */
  readonly leave: (record: RawRecord, isOverShare: boolean) => void;
}

export interface WindowedConsumerSettings {
  /** Handles one record. The consumer handles many records in parallel, in any order. */
  handle: HandleRecord;
  /** A fast filter for the records to handle; all records by default. Other records are skipped. */
  readonly filter?: (record: RawRecord) => boolean;
  /** Decides when each record is handled; at once by default. */
  readonly admission?: WindowAdmission;
  /** Called when a partition is assigned. The given signal is aborted when the partition is revoked. */
  onAssigned: (partition: TopicPartition, signal: AbortSignal) => void;
  /**
   * The delay of a partition's records after their append, in milliseconds; none by default. All records of a partition
   * have the same delay, so that the partition's records are released in order.
   */
  readonly holdMs?: (partition: TopicPartition) => number;
  /**
   * Reads the committed taken-up offset of a partition. With this setting, the consumer commits the taken-up offset as
   * the metadata of the committed offset.
   */
  readonly readTakenUp?: ReadTakenUp;
  readonly bounds: WindowBounds;
  readonly commitIntervalMs: number;
  /**
   * The work that the consumer finishes, within a time limit, before it hands over partitions. By default, all handling
   * of records counts. A handler that queues attempts counts only its started attempts.
   */
  readonly inFlight?: WorkInFlight;
}

export interface WindowedConsumer extends GroupProgress {
  start: (onLost: (error: Error) => void) => Promise<void>;
  /**
   * Handles no further records. The consumer commits and leaves the group after at most two seconds. Work that is in
   * flight after the commit continues until the deadline.
   */
  stop: (deadlineMs: number) => Promise<void>;
  /** The number of unfinished records in the window. */
  unfinished: () => number;
}

/**
 * The time limit for work in flight during a hand-over, in milliseconds. The other members of the group wait meanwhile,
 * so the limit is less than the session timeout.
 */
const handOverLimitMs = 1500;

/** A window admission that admits every record at once. */
const admitAll: WindowAdmission = {
  enter: (_record, start) => {
    start(false);
  },
  leave: () => undefined,
};

/**
 * Creates a windowed consumer, which handles the records of a group's partitions in any order without losing one. The
 * committed offset is the lowest unfinished offset. The consumer pauses only a partition whose window is full.
 *
 * A rebalance preserves the windows of retained partitions. After a rebalance, the broker redelivers all records above
 * the committed offset. The window skips redelivered records that are done or in flight.
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
  const commits = createPartitionCommits(
    { consumer, assignments, logger: dependencies.logger },
    settings.readTakenUp,
  );

  const assign = (assigned: readonly TopicPartition[]) => {
    assignments.assign(assigned);
    inFlight.release();
  };

  const admit = (record: RawRecord, assignment: AssignedPartition, takenAt: number) => {
    unfinished += 1;
    room.take(sizeOfRecord(record));
    admission.enter(record, (isOverShare) => {
      let hasStarted = false;
      const started = () => {
        if (!hasStarted) {
          hasStarted = true;
          admission.started?.(record, isOverShare);
        }
      };
      const know = () => {
        assignment.window.know(record.offset);
        started();
      };
      const wasTakenUp = record.offset < assignment.takenUpBefore;
      void work(record, assignment, { takenAt, isOverShare, wasTakenUp, know, started });
    });
  };

  const work = async (record: RawRecord, assignment: AssignedPartition, admitted: Admitted) => {
    const { signal } = assignment.lost;
    const begin = () => handle(record, signal, admitted);
    try {
      // With its own `inFlight`, a handler may start during a rebalance, because the handler delays its attempts
      // itself.
      const result = settings.inFlight === undefined ? await inFlight.run(signal, begin) : await begin();
      if (result === 'done') {
        assignment.window.finish(record.offset);
      }
    } finally {
      unfinished -= 1;
      room.give(sizeOfRecord(record));
      admitted.started();
      admission.leave(record, admitted.isOverShare);
      resumeWithRoom(assignment);
    }
  };

  /**
   * Resumes a paused partition when its window is half empty. A fuller window would pause and resume for every record.
   */
  const resumeWithRoom = (assignment: AssignedPartition) => {
    if (assignment.paused && room.isHalfEmpty(assignment.window) && !assignment.lost.signal.aborted) {
      assignment.paused = false;
      consumer.resume(assignment.partition);
    }
  };

  /**
   * Whether a record must wait, for room in the window or for its release. The consumer resumes the partition when the
   * wait is over.
   */
  const mustWait = (assignment: AssignedPartition, record: RawRecord): boolean => {
    if (room.isFull(assignment.window)) {
      assignment.paused = true;
      return true;
    }
    return assignment.gate.holds(record);
  };

  const takeBatch = async (partition: TopicPartition, part: FetchedPart) => {
    const assignment = assignments.find(partition);
    if (assignment === undefined || !(await commits.begin(assignment, part.begin))) {
      return null;
    }
    return takeRecords(assignment, part);
  };

  /** The time at which a record becomes ready. A record in a retry tier becomes ready at its release. */
  const sinceOf = ({ partition }: AssignedPartition, { timestamp }: RawRecord) =>
    timestamp + holdMs(partition);

  const takeRecords = (
    assignment: AssignedPartition,
    { records, end: endOfPart }: FetchedPart,
  ): number | null => {
    if (isLost(assignment)) {
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

  /**
   * Finishes work in flight and commits, while the other members of the group wait. Work that does not end in time
   * continues, and the next owner reads its record again.
   */
  const handOver = async () => {
    await inFlight.ended(handOverLimitMs);
    await commits.last();
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
      endCommits = onAlignedInterval(settings.commitIntervalMs, () => void commits.commit());
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

function isLost({ lost }: AssignedPartition): boolean {
  return lost.signal.aborted;
}

async function untilTrue(condition: () => boolean, deadlineMs: number): Promise<void> {
  const deadline = Date.now() + deadlineMs;
  while (!condition() && Date.now() < deadline) {
    await pause(20);
  }
}
