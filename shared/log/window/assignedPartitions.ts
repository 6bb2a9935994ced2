import { nameOfPartition, type TopicPartition } from '../client/topicPartition.js';
import type { GroupConsumer } from '../group/groupConsumer.js';
import type { GroupProgress } from '../lag/groupReport.js';
import { createDelayGate, type DelayGate } from './delayGate.js';
import { createPartitionWindow, type PartitionWindow } from './partitionWindow.js';

/** A partition that this process has, with its records in flight. */
export interface AssignedPartition {
  readonly partition: TopicPartition;
  readonly window: PartitionWindow;
  readonly gate: DelayGate;
  /** Aborted when the partition is revoked, or when the consumer stops. */
  readonly lost: AbortController;
  /** The committed offset; null before the first commit. */
  committed: number | null;
  /** Whether the partition is paused until its window has room. */
  paused: boolean;
}

/** The partitions of this process from one assignment to the next. */
export interface AssignedPartitions extends GroupProgress {
  /** Must be called with each assignment. Retained partitions keep their windows. */
  assign: (assigned: readonly TopicPartition[]) => void;
  find: (partition: TopicPartition) => AssignedPartition | undefined;
  all: () => readonly AssignedPartition[];
  /** Ends all partitions, and each partition that is assigned later. */
  endAll: () => void;
}

export interface AssignedPartitionsSettings {
  /** The delay of a partition's records after their append, in milliseconds. */
  readonly holdMs: (partition: TopicPartition) => number;
  /** Called when a partition is assigned, with the signal for all of its records. */
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
    return { partition, window: createPartitionWindow(), gate, lost, committed: null, paused: false };
  };

  const open = ({ partition, lost }: AssignedPartition) => {
    // The partition may still be paused from an earlier assignment with a full window, because kafkajs remembers that.
    consumer.resume(partition);
    onAssigned(partition, lost.signal);
  };

  /** Starts no further work. Without the pause, the same records would be fetched repeatedly. */
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
