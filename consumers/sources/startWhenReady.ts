import type { Logger } from '../../shared/core/logger.js';
import { sleepUnlessAborted } from '../../shared/concurrency/periodicTask.js';
import type { ReadinessCheck } from '../../shared/runtime/readiness.js';

export interface DeferredStart {
  /** That it has begun. */
  readonly check: ReadinessCheck;
  /** Begins nothing any more; resolves once nothing is being begun. */
  stop: () => Promise<void>;
}

export interface DeferredStartDependencies {
  /** Whether this version of the program can read what it needs. */
  readonly isReadable: () => Promise<boolean>;
  readonly start: () => Promise<void>;
  /** Told where it could not be started later. */
  readonly onLost: (error: Error) => void;
  readonly logger: Pick<Logger, 'warn'>;
}

const lookAgainMs = 1000;

/**
 * Starts the groups of the role at once, but where read models are of another version: then as soon as they were rebuilt. Whoever joins
 * a group gets its share of the partitions, and deliveries would wait there that a process of the other version can make.
 */
export async function startWhenReadable(dependencies: DeferredStartDependencies): Promise<DeferredStart> {
  const { isReadable, start, onLost, logger } = dependencies;
  const stopping = new AbortController();
  let hasBegun = false;

  const begin = async () => {
    await start();
    hasBegun = true;
  };

  const beginLater = async () => {
    for (;;) {
      await sleepUnlessAborted(stopping.signal, lookAgainMs);
      if (stopping.signal.aborted) {
        return;
      }
      if (await isReadable()) {
        await begin();
        return;
      }
    }
  };

  let beginning: Promise<void> = Promise.resolve();
  if (await isReadable()) {
    await begin();
  } else {
    logger.warn(
      'read models are of another version: nothing is delivered by this process before they are rebuilt',
    );
    beginning = beginLater().catch((error: unknown) => {
      onLost(error instanceof Error ? error : new Error(String(error)));
    });
  }
  return {
    check: {
      name: 'groups',
      check: () => Promise.resolve(hasBegun ? null : 'waits for read models of its version'),
    },
    stop: async () => {
      stopping.abort();
      await beginning;
    },
  };
}
