import { setTimeout as pause } from 'node:timers/promises';

import { UnavailableError } from '../../shared/core/errors.js';
import type { TopicPartition } from '../../shared/log/group/groupConsumer.js';
import type { EndOffsets, TopicOffsets } from '../../shared/log/client/topicOffsets.js';
import { allPartitions, type ModelProgress } from '../../shared/store/models/modelProgress.js';
import type { TopicName } from '../../shared/log/topics/names.js';
import type { RawRecord } from '../../shared/log/encoding/record.js';

/** Where the log ended when a partition became ours. */
export interface Assignment {
  /** Whether the record was in the log already: then someone else may have worked on it. */
  predatesAssignment: (record: RawRecord) => boolean;
  /** The outcomes that the previous owner recorded before the partition became ours are below these. */
  readonly deliveries: EndOffsets;
  /**
   * The end of `deliveries` some time after the partition became ours. The previous owner finishes attempts that were in flight then:
   * their outcomes are below these offsets, unless a receiver hangs. Resolves at that time, or at once if it has passed.
   */
  readonly deliveriesAfterHandOver: () => Promise<EndOffsets>;
}

export interface Assignments {
  /** To be called when a partition becomes ours, with the signal of that assignment. */
  prepare: (partition: TopicPartition, signal: AbortSignal) => void;
  /**
   * The assignment that a record came with, once the webhooks and accounts that were known then are in their models: before that
   * nothing may be matched, nor taken for deleted.
   * @throws UnavailableError while they are behind
   */
  of: (record: RawRecord, signal: AbortSignal) => Promise<Assignment>;
}

const modelTimeoutMs = 4000;
/** From the assignment, in milliseconds: as long as the previous owner waits before it hands its partitions over. */
const handOverMs = 1500;

export function createAssignments(dependencies: {
  offsets: TopicOffsets;
  progress: { readonly webhooks: ModelProgress; readonly accounts: ModelProgress };
}): Assignments {
  const { offsets, progress } = dependencies;
  const assignments = new WeakMap<AbortSignal, Promise<Assignment>>();

  /** Asked for once: all records of the partition need the same offsets. */
  const endsAfterHandOver = (): Assignment['deliveriesAfterHandOver'] => {
    const handedOverAt = performance.now() + handOverMs;
    let ends: Promise<EndOffsets> | null = null;
    const read = async () => {
      await pause(Math.max(0, handedOverAt - performance.now()));
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
    const deliveriesAfterHandOver = endsAfterHandOver();
    const [own, deliveries, webhooks, accounts] = await Promise.all([
      offsets.ends(topic),
      offsets.ends('deliveries'),
      offsets.ends('webhooks'),
      offsets.ends('accounts'),
    ]);
    const reached = await Promise.all([
      progress.webhooks.reached('webhooks', allPartitions(webhooks), modelTimeoutMs),
      progress.accounts.reached('accounts', allPartitions(accounts), modelTimeoutMs),
    ]);
    if (reached.includes(false)) {
      throw new UnavailableError(
        'delivery waits for the webhooks and accounts that were known at assignment',
      );
    }
    return {
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
    // The record that waits for it is tried again, and prepares again.
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
