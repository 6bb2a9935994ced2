import { setTimeout as pause } from 'node:timers/promises';

import { UnavailableError } from '../../shared/core/errors.js';
import type { EndOffsets, TopicOffsets } from '../../shared/log/client/topicOffsets.js';
import type { TopicPartition } from '../../shared/log/client/topicPartition.js';
import type { RawRecord } from '../../shared/log/encoding/record.js';
import type { TopicName } from '../../shared/log/topics/names.js';
import { reachedEnds, type ModelProgress } from '../../shared/store/models/modelProgress.js';

/** The end offsets of the log when a partition was assigned to this process. */
export interface Assignment {
  /** When the assignment was prepared, as a time of `performance.now()`. */
  readonly assignedAt: number;
  /** Whether the log had the record before the assignment, so that the partition's previous owner may have read it. */
  readonly predatesAssignment: (record: RawRecord) => boolean;
  /**
   * The end offsets of `deliveries` at the assignment, above all earlier outcomes of the partition's previous owner.
   */
  readonly deliveries: EndOffsets;
  /**
   * The end offsets of `deliveries` some time after the assignment, when the previous owner of the partition has
   * finished its attempts in flight. The outcomes of these attempts are below the offsets, unless a receiver hangs. The
   * promise resolves when this time has passed.
   */
  readonly deliveriesAfterHandOver: () => Promise<EndOffsets>;
}

export interface Assignments {
  /** Must be called when a partition is assigned, with the signal of the assignment. */
  readonly prepare: (partition: TopicPartition, signal: AbortSignal) => void;
  /**
   * The assignment of a record's partition. Resolves when the read models contain the webhooks and accounts that the
   * log had at the assignment. An event that is matched earlier could miss webhooks, and a missing webhook could pass
   * for deleted.
   * @throws UnavailableError while the read models are behind
   */
  readonly of: (record: Pick<RawRecord, 'topic'>, signal: AbortSignal) => Promise<Assignment>;
}

const modelTimeoutMs = 4000;
/** How long the previous owner waits for its attempts before it hands over its partitions, in milliseconds. */
const defaultHandOverMs = 1500;

export function createAssignments(dependencies: {
  offsets: TopicOffsets;
  progress: { readonly webhooks: ModelProgress; readonly accounts: ModelProgress };
  handOverMs?: number;
}): Assignments {
  const { offsets, progress, handOverMs = defaultHandOverMs } = dependencies;
  const assignments = new WeakMap<AbortSignal, Promise<Assignment>>();

  /** Reads the end offsets after the hand-over, once for all records of the partition. */
  const endsAfterHandOver = (assignedAt: number): Assignment['deliveriesAfterHandOver'] => {
    const handedOverAt = assignedAt + handOverMs;
    let ends: Promise<EndOffsets> | null = null;
    const read = async () => {
      // A timer may fire a millisecond early.
      for (let left = handedOverAt - performance.now(); left > 0; left = handedOverAt - performance.now()) {
        await pause(left);
      }
      return offsets.ends('deliveries');
    };
    return () => {
      ends ??= read().catch((error: unknown) => {
        ends = null;
        throw error;
      });
      return ends;
    };
  };

  const prepareAssignment = async (topic: TopicName): Promise<Assignment> => {
    const assignedAt = performance.now();
    const deliveriesAfterHandOver = endsAfterHandOver(assignedAt);
    const [own, deliveries, ...reached] = await Promise.all([
      offsets.ends(topic),
      offsets.ends('deliveries'),
      reachedEnds({ progress: progress.webhooks, offsets }, 'webhooks', modelTimeoutMs),
      reachedEnds({ progress: progress.accounts, offsets }, 'accounts', modelTimeoutMs),
    ]);
    if (reached.includes(false)) {
      throw new UnavailableError(
        'delivery waits until the read models contain all webhooks and accounts from before the assignment',
      );
    }
    return {
      assignedAt,
      predatesAssignment: ({ partition, offset }) => offset < (own[partition] ?? 0),
      deliveries,
      deliveriesAfterHandOver,
    };
  };

  const prepared = (topic: TopicName, signal: AbortSignal): Promise<Assignment> => {
    const known = assignments.get(signal);
    if (known !== undefined) {
      return known;
    }
    const preparing = prepareAssignment(topic);
    assignments.set(signal, preparing);
    // The caller retries its record, and the retry prepares the assignment again.
    preparing.catch(() => assignments.delete(signal));
    return preparing;
  };

  return {
    prepare: ({ topic }, signal) => {
      void prepared(topic, signal).catch(() => null);
    },
    of: ({ topic }, signal) => prepared(topic, signal),
  };
}
