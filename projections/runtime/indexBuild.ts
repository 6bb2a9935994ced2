import { createPeriodicTask } from '../../shared/concurrency/periodicTask.js';
import type { Logger } from '../../shared/core/logger.js';

export interface IndexBuildDependencies {
  /** Builds the indexes that are missing. May take hours, and may run in several processes at once. */
  readonly ensureIndexes: () => Promise<void>;
  readonly logger: Pick<Logger, 'warn'>;
  readonly restMs?: number;
}

const defaultRestMs = 5000;

/**
 * Builds the indexes of a generation in parallel with its fold, and tries again until they are there. Lists that need a missing index
 * answer 503 meanwhile.
 * @returns what ends the tries. It does not wait for a build: the server finishes the build, or the next process repeats it.
 */
export function startIndexBuild({
  ensureIndexes,
  logger,
  restMs = defaultRestMs,
}: IndexBuildDependencies): () => void {
  let isStopped = false;
  const passes = createPeriodicTask({
    pass: async () => {
      try {
        await ensureIndexes();
      } catch (error) {
        if (isStopped) {
          return;
        }
        throw error;
      }
      void passes.stop();
    },
    ...{ restMs, logger, warning: 'the indexes of a read model cannot be built yet' },
  });
  passes.start();
  return () => {
    isStopped = true;
    void passes.stop();
  };
}
