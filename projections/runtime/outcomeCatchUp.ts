import { createPeriodicTask, sleepUnlessAborted } from '../../shared/concurrency/periodicTask.js';
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
  /**
   * Resolves when other topics and models may be folded, which would take processor time from the outcomes that
   * deliveries wait for. The promise resolves once the model `events` has read all outcomes that the log contained at
   * the start, when the catch-up is stopped, and after `maximumDelayMs` at the latest. If the model is being built or has
   * another version, it resolves at once, because deliveries wait for a model of all its topics.
   */
  readonly otherTopicsReleased: Promise<void>;
  stop: () => Promise<void>;
}

/** The pause between two reads of the progress of the model `events`. */
const checkIntervalMs = 100;
const defaultMaximumDelayMs = 30_000;

/** Watches the model `events` after the start of the role. Deliveries wait for the outcomes from before it. */
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
  const hasCaughtUp = createCaughtUp(progress, offsets, 'deliveries');
  const release = new AbortController();
  const checks = createPeriodicTask({
    pass: async () => {
      if ((await hasCaughtUp()) || (await needsAllTopics())) {
        release.abort();
      }
    },
    restMs: checkIntervalMs,
    warning: 'cannot read yet which delivery outcomes the model of events contains',
    logger,
  });
  checks.start();
  const stop = () => {
    release.abort();
    return checks.stop();
  };
  return {
    otherTopicsReleased: sleepUnlessAborted(release.signal, maximumDelayMs).then(() => void stop()),
    stop,
  };
}
