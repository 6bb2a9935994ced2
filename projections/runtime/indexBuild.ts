import { createPeriodicTask } from '../../shared/concurrency/periodicTask.js';
import type { Logger } from '../../shared/core/logger.js';

export interface IndexBuildDependencies {
  /** Builds the missing indexes. The build may take hours, and may run in several processes at the same time. */
  readonly ensureIndexes: () => Promise<void>;
  readonly logger: Pick<Logger, 'warn'>;
  readonly restMs?: number;
}

const defaultRestMs = 5000;

/**
 * Builds the indexes of a generation in parallel with its fold, and retries until the indexes exist. Lists that need a
 * missing index answer 503.
 * @returns a function that ends the retries without waiting for a build: the server finishes the build, or the next
 * process repeats it
 */
export function startIndexBuild({
  ensureIndexes,
  logger,
  restMs = defaultRestMs,
}: IndexBuildDependencies): () => void {
  let isStopped = false;
  const attempts = createPeriodicTask({
    pass: async () => {
      try {
        await ensureIndexes();
      } catch (error) {
        if (isStopped) {
          return;
        }
        throw error;
      }
      void attempts.stop();
    },
    restMs,
    logger,
    warning: 'the indexes of a read model cannot be built yet',
  });
  attempts.start();
  return () => {
    isStopped = true;
    void attempts.stop();
  };
}
