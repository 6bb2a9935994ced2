import type { TopicOffsets } from '../../shared/log/client/topicOffsets.js';
import type { Logger } from '../../shared/core/logger.js';
import type { EventDocument } from '../../shared/store/models/documents.js';
import { createCaughtUp, type ModelProgress } from '../../shared/store/models/modelProgress.js';
import type { ReadModel } from '../../shared/store/models/readModels.js';
import { createPeriodicTask, sleepUnlessAborted } from '../../shared/concurrency/periodicTask.js';

export interface OutcomeCatchUpDependencies {
  /** The model of events, its progress, and the version of it that this process folds. */
  readonly model: Pick<ReadModel<EventDocument>, 'meta'>;
  readonly progress: ModelProgress;
  readonly version: number;
  readonly offsets: TopicOffsets;
  readonly logger: Pick<Logger, 'warn'>;
  /** In milliseconds; half a minute by default. */
  readonly longestHoldMs?: number;
}

export interface OutcomeCatchUp {
  /** Whether the model has read all outcomes that the log held at the start. */
  isDone: () => boolean;
  /**
   * Resolves when that may be folded which deliveries do not wait for, and which would take its part of the process and of
   * its processors: once it is done, when it is stopped, and no later than `longestHoldMs` after the start. At once where the model is
   * begun anew, or is of another version: then deliveries wait for one that is built of all its topics.
   */
  readonly othersGoOn: Promise<void>;
  stop: () => Promise<void>;
}

/** A read of the model's progress each time, until it is done. */
const restMs = 100;
const laterRestMs = 1000;
const defaultLongestHoldMs = 30_000;

/** After a crash deliveries wait for the outcomes of before: this tells when nobody has to wait for them any more. */
export function startOutcomeCatchUp({
  model,
  progress,
  version,
  offsets,
  logger,
  longestHoldMs = defaultLongestHoldMs,
}: OutcomeCatchUpDependencies): OutcomeCatchUp {
  const hasCaughtUp = createCaughtUp(progress, offsets, 'deliveries');
  const needsAllTopics = () =>
    model.meta().then(
      (meta) => !meta.complete || meta.version !== version,
      // Not there yet, or away for a moment.
      () => false,
    );
  let isDone = false;
  const over = new AbortController();
  const passes = createPeriodicTask({
    pass: async (signal) => {
      if (await hasCaughtUp()) {
        isDone = true;
        over.abort();
        void passes.stop();
      } else if (over.signal.aborted) {
        // Nobody is held back any more: what is left is the part of the processors, for as long as it takes.
        await sleepUnlessAborted(signal, laterRestMs);
      } else if (await needsAllTopics()) {
        over.abort();
      }
    },
    restMs,
    warning: 'whether the outcomes of before have been read is not known yet',
    logger,
  });
  passes.start();
  return {
    isDone: () => isDone,
    othersGoOn: sleepUnlessAborted(over.signal, longestHoldMs).then(() => {
      over.abort();
    }),
    stop: async () => {
      over.abort();
      await passes.stop();
    },
  };
}
