import type { TakenUpOffset } from '../client/takenUp.js';
import { nameOfPartition, type TopicPartition } from '../client/topicPartition.js';
import type { RawRecord } from '../encoding/record.js';
import type { GroupConsumer } from '../group/groupConsumer.js';
import type { GroupProgress } from '../lag/groupReport.js';
import { createPartitionWindow, type PartitionWindow } from './partitionWindow.js';

/** A partition that is assigned to this process, with its records in flight. */
export interface AssignedPartition {
  readonly partition: TopicPartition;
  readonly window: PartitionWindow;
  readonly gate: DelayGate;
  /** The controller that is aborted when the partition is revoked, or when the consumer stops. */
  readonly lost: AbortController;
  /** The committed offset of the partition; null before the first commit of this process. */
  committed: number | null;
  /** The committed taken-up offset; null before the first commit of this process, and without one. */
  takenUp: TakenUpOffset | null;
  /** The taken-up offset at the assignment: an earlier owner of the partition has taken up all records below it. */
  takenUpBefore: number;
  /** Whether the partition is paused until its window has room. */
  paused: boolean;
}

/** The assigned partitions of this process, whose windows survive another assignment. */
export interface AssignedPartitions extends GroupProgress {
  /** Takes over an assignment of partitions. Partitions that stay assigned retain their windows. */
  assign: (assigned: readonly TopicPartition[]) => void;
  find: (partition: TopicPartition) => AssignedPartition | undefined;
  all: () => readonly AssignedPartition[];
  /** Stops all partitions, and each partition that is assigned later. */
  endAll: () => void;
}

export interface AssignedPartitionsSettings {
  /** The delay of a partition's records after their append, in milliseconds. */
  readonly holdMs: (partition: TopicPartition) => number;
  /** Called when a partition is assigned. The given signal is aborted when the partition is revoked. */
  readonly onAssigned: (partition: TopicPartition, signal: AbortSignal) => void;
}

export function createAssignedPartitions(
  consumer: Pick<GroupConsumer, 'pause' | 'resume'>,
  { holdMs, onAssigned }: AssignedPartitionsSettings,
): AssignedPartitions {
  let assignments = new Map<string, AssignedPartition>();
  let isEnded = false;

  const create = (partition: TopicPartition): AssignedPartition => {
    const lost = new AbortController();
    const resume = () => {
      if (!lost.signal.aborted) {
        consumer.resume(partition);
      }
    };
    const gate = createDelayGate(holdMs(partition), resume);
    lost.signal.addEventListener('abort', gate.close, { once: true });
    return {
      partition,
      window: createPartitionWindow(),
      gate,
      lost,
      paused: false,
      committed: null,
      takenUp: null,
      takenUpBefore: 0,
    };
  };

  const open = ({ partition, lost }: AssignedPartition) => {
    // Resumes the partition, because kafkajs retains a pause from an earlier assignment with a full window.
    consumer.resume(partition);
    onAssigned(partition, lost.signal);
  };

  /**
   * Stops a partition, so that no further record is handled. Without the pause, kafkajs would fetch the same records
   * repeatedly.
   */
  const end = ({ partition, lost }: AssignedPartition) => {
    lost.abort();
    consumer.pause(partition);
  };

  const assign = (assigned: readonly TopicPartition[]) => {
    const previous = assignments;
    assignments = new Map();
    for (const partition of assigned) {
      const kept = previous.get(nameOfPartition(partition));
      const assignment = kept ?? create(partition);
      assignments.set(nameOfPartition(partition), assignment);
      if (isEnded) {
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
  };

  const all = () => [...assignments.values()];

  return {
    assign,
    find: (partition) => assignments.get(nameOfPartition(partition)),
    all,
    endAll: () => {
      isEnded = true;
      assignments.forEach(end);
    },
    watermarks: () =>
      all().map(({ partition, window, committed }) => ({
        partition,
        offset: window.watermark() ?? committed,
      })),
    unfinishedSince: () => {
      const moments = all().map(({ window }) => window.unfinishedSince());
      const known = moments.filter((moment) => moment !== null);
      return known.length === 0 ? null : Math.min(...known);
    },
  };
}

/** Delays the records of one partition until some time after their append. */
export interface DelayGate {
  /** Whether a record must wait. If the record must wait, the gate opens once when the record is due. */
  holds: (record: RawRecord) => boolean;
  /** Cancels the pending opening of the gate. */
  close: () => void;
}

/** The shortest interval between fetches of a partition whose first record must wait. */
const shortestWaitMs = 250;

/**
 * Creates a delay gate. The gate releases a record `holdMs` after its append, or `holdMs` after the first fetch if that
 * is earlier. So a producer whose clock is ahead cannot block a partition.
 * @param onOpen called when the last delayed record is due
 */
export function createDelayGate(holdMs: number, onOpen: () => void): DelayGate {
  let head: { readonly offset: number; readonly releaseAt: number } | null = null;
  let timer: NodeJS.Timeout | undefined;

  const releaseOf = ({ offset, timestamp }: RawRecord, now: number): number => {
    const releaseAt = Math.min(timestamp, now) + holdMs;
    return head?.offset === offset ? Math.min(head.releaseAt, releaseAt) : releaseAt;
  };

  return {
    holds: (record) => {
      const now = Date.now();
      const releaseAt = releaseOf(record, now);
      if (holdMs === 0 || releaseAt <= now) {
        return false;
      }
      head = { offset: record.offset, releaseAt };
      clearTimeout(timer);
      timer = setTimeout(onOpen, Math.max(releaseAt - now, shortestWaitMs));
      return true;
    },
    close: () => {
      clearTimeout(timer);
    },
  };
}
