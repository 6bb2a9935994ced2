import { sleepUnlessAborted } from '../../shared/concurrency/periodicTask.js';
import type { Logger } from '../../shared/core/logger.js';
import type { ReadinessCheck } from '../../shared/runtime/readiness.js';

export interface DeferredStart {
  /** Reports not ready until the groups have started. */
  readonly check: ReadinessCheck;
  /** Prevents a later start of the groups. Resolves when no start is in progress. */
  readonly stop: () => Promise<void>;
}

export interface DeferredStartDependencies {
  /** Whether this version of the program can read the read models that it needs. */
  readonly isReadable: () => Promise<boolean>;
  readonly start: () => Promise<void>;
  /** Called if the deferred start fails. */
  readonly onFatal: (error: Error) => void;
  readonly logger: Pick<Logger, 'warn'>;
  /** The pause between two looks at the models, in milliseconds; a second by default. */
  readonly checkIntervalMs?: number;
}

const defaultCheckIntervalMs = 1000;

/**
 * Starts the consumer groups of the delivery role. If read models have another version, the groups start after the
 * rebuild of these models. If this process joined earlier, it would get partitions whose deliveries a process of the
 * other version can make.
 */
export async function startWhenReadable(dependencies: DeferredStartDependencies): Promise<DeferredStart> {
  const { isReadable, start, onFatal, logger, checkIntervalMs = defaultCheckIntervalMs } = dependencies;
  const stopping = new AbortController();
  let hasStarted = false;

  const startNow = async () => {
    await start();
    hasStarted = true;
  };

  const startLater = async () => {
    for (;;) {
      await sleepUnlessAborted(stopping.signal, checkIntervalMs);
      if (stopping.signal.aborted) {
        return;
      }
      if (await isReadable()) {
        await startNow();
        return;
      }
    }
  };

  let deferred: Promise<void> = Promise.resolve();
  if (await isReadable()) {
    await startNow();
  } else {
    logger.warn('read models have another version: this process delivers nothing until they are rebuilt');
    deferred = startLater().catch((error: unknown) => {
      onFatal(error instanceof Error ? error : new Error(String(error)));
    });
  }
  return {
    check: {
      name: 'groups',
      check: () => Promise.resolve(hasStarted ? null : 'the process waits for read models of its version'),
    },
    stop: async () => {
      stopping.abort();
      await deferred;
    },
  };
}
