import { setTimeout as pause } from 'node:timers/promises';

import { untilAligned } from './alignedTimers.js';
import { messageOf } from '../core/errors.js';
import type { Logger } from '../core/logger.js';

export interface PeriodicTaskDependencies {
  /** One run of the task. A failed run is repeated after the next pause. */
  readonly pass: (signal: AbortSignal) => Promise<void>;
  /** The pause after a run, in milliseconds. The pause varies by up to half, because runs of all tasks are aligned. */
  readonly restMs: number;
  /** The log message for a failed run. */
  readonly warning: string;
  readonly logger: Pick<Logger, 'warn'>;
}

/** A task that runs periodically, with one run at a time. */
export interface PeriodicTask {
  /** Starts the task. `start` may be called once. */
  start: () => void;
  /** Stops the task. The promise resolves when the current run has ended. */
  stop: () => Promise<void>;
}

/**
 * Creates a task that repeats its work with a pause until it is stopped. A failed run is logged and does not stop the
 * task.
 */
export function createPeriodicTask({
  pass,
  restMs,
  warning,
  logger,
}: PeriodicTaskDependencies): PeriodicTask {
  const stopping = new AbortController();
  let running: Promise<void> = Promise.resolve();

  const run = async () => {
    while (!stopping.signal.aborted) {
      await pass(stopping.signal).catch((error: unknown) => {
        logger.warn({ error: messageOf(error) }, warning);
      });
      await sleepUnlessAborted(stopping.signal, untilAligned(restMs));
    }
  };

  return {
    start: () => {
      running = run();
    },
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}

/** Resolves after `ms` milliseconds, or as soon as the signal is aborted. */
export async function sleepUnlessAborted(signal: AbortSignal, ms: number): Promise<void> {
  await pause(ms, null, { signal }).catch(() => null);
}
