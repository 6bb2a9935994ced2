import {
  createPeriodicTask,
  sleepUnlessAborted,
  type PeriodicTask,
} from '../../shared/concurrency/periodicTask.js';
import type { Logger } from '../../shared/core/logger.js';
import type { TopicOffsets } from '../../shared/log/client/topicOffsets.js';
import type { EventDocument } from '../../shared/store/models/documents.js';
import { createCaughtUp, type ModelProgress } from '../../shared/store/models/modelProgress.js';
import type { ReadModel } from '../../shared/store/models/readModels.js';

export interface OutcomeCatchUpDependencies {
  /** The model `events`, its progress, and the version that this process folds. */
  readonly model: Pick<ReadModel<EventDocument>, 'meta'>;
  readonly progress: ModelProgress;
  readonly version: number;
  readonly offsets: TopicOffsets;
  readonly logger: Pick<Logger, 'warn'>;
  /** The longest delay of the other topics and models, in milliseconds; 30 seconds by default. */
  readonly maximumDelayMs?: number;
}

export interface OutcomeCatchUp {
  /** Whether the model `events` has read all outcomes that the log contained at the start, or at the last `again`. */
  isDone: () => boolean;
  /**
   * Begins again, if it is done, with the outcomes that the log contains now. Must be called when the group of the model
   * `events` gets partitions: after an outage of Kafka, deliveries wait for earlier outcomes as they do after a crash.
   */
  again: () => void;
  /**
   * Resolves when other topics and models may be folded, which would take CPU time from the outcomes that deliveries
   * wait for. The promise resolves when the catch-up is done or stopped, and after `maximumDelayMs` at the latest. If
   * the model is being built or has another version, the promise resolves at once, because deliveries wait for a model
   * of all its topics.
   */
  readonly otherTopicsReleased: Promise<void>;
  stop: () => Promise<void>;
}

/** The pause between two reads of the progress of the model `events`. */
const checkIntervalMs = 100;
const slowCheckIntervalMs = 1000;
const defaultMaximumDelayMs = 30_000;

/**
 * Watches the model `events` after the start of the role, and after an outage. Deliveries wait for the outcomes from before
 * it, so the projections role folds outcomes first after its start, and has the CPU priority of delivery until then.
 */
export function startOutcomeCatchUp({
  model,
  progress,
  version,
  offsets,
  logger,
  maximumDelayMs = defaultMaximumDelayMs,
}: OutcomeCatchUpDependencies): OutcomeCatchUp {
  const needsAllTopics = () =>
    model.meta().then(
      (meta) => !meta.complete || meta.version !== version,
      // An error means that the model does not exist yet, or that the database is unavailable for a moment.
      () => false,
    );
  let isDone = false;
  const release = new AbortController();
  let isStopped = false;

  const watch = (): PeriodicTask => {
    const hasCaughtUp = createCaughtUp(progress, offsets, 'deliveries');
    const task = createPeriodicTask({
      pass: async (signal) => {
        if (await hasCaughtUp()) {
          isDone = true;
          release.abort();
          void task.stop();
        } else if (release.signal.aborted) {
          // After the release of other topics only the CPU priority depends on the catch-up, so the checks are slower.
          await sleepUnlessAborted(signal, slowCheckIntervalMs);
        } else if (await needsAllTopics()) {
          release.abort();
        }
      },
      restMs: checkIntervalMs,
      warning: 'cannot read yet which delivery outcomes the model of events contains',
      logger,
    });
    task.start();
    return task;
  };

  let checks = watch();
  return {
    isDone: () => isDone,
    again: () => {
      if (isDone && !isStopped) {
        isDone = false;
        checks = watch();
      }
    },
    otherTopicsReleased: sleepUnlessAborted(release.signal, maximumDelayMs).then(() => {
      release.abort();
    }),
    stop: async () => {
      isStopped = true;
      release.abort();
      await checks.stop();
    },
  };
}
