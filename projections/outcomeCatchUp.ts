import type { TopicOffsets } from '../shared/kafka/topicOffsets.js';
import type { Logger } from '../shared/logger.js';
import { createCaughtUp, type ModelProgress } from '../shared/mongo/modelProgress.js';
import { createPasses } from '../shared/passes.js';

export interface OutcomeCatchUpDependencies {
  /** That of the model of events. */
  readonly progress: ModelProgress;
  readonly offsets: TopicOffsets;
  readonly logger: Pick<Logger, 'warn'>;
}

export interface OutcomeCatchUp {
  /** Whether the model has read all outcomes that the log held at the start. */
  isDone: () => boolean;
  stop: () => Promise<void>;
}

/** A read of the model's progress each time. */
const restMs = 500;

/** After a crash deliveries wait for the outcomes of before: this tells when nobody has to wait for them any more. */
export function startOutcomeCatchUp({
  progress,
  offsets,
  logger,
}: OutcomeCatchUpDependencies): OutcomeCatchUp {
  const hasCaughtUp = createCaughtUp(progress, offsets, 'deliveries');
  let isDone = false;
  const passes = createPasses({
    pass: async () => {
      if (await hasCaughtUp()) {
        isDone = true;
        void passes.stop();
      }
    },
    restMs,
    warning: 'whether the outcomes of before have been read is not known yet',
    logger,
  });
  passes.start();
  return { isDone: () => isDone, stop: passes.stop };
}
