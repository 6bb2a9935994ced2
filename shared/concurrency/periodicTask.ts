import { setTimeout as pause } from 'node:timers/promises';

import { untilAligned } from './alignedTimers.js';
import { messageOf } from '../core/errors.js';
import type { Logger } from '../core/logger.js';

export interface PeriodicTaskDependencies {
  /** Begins nothing more once the signal is aborted. What fails is tried again with the next pass. */
  readonly pass: (signal: AbortSignal) => Promise<void>;
  /** From the end of a pass to the begin of the next, in milliseconds: up to half more or less, as other passes begin with it. */
  readonly restMs: number;
  /** What a failed pass means, for whoever reads the log. */
  readonly warning: string;
  readonly logger: Pick<Logger, 'warn'>;
}

/** Work that is done again and again, one pass at a time. */
export interface PeriodicTask {
  /** To be called once. */
  start: () => void;
  /** Resolves when the pass that is under way has ended. */
  stop: () => Promise<void>;
}

/** Passes one after another until they are stopped, with a rest between two. A failure is logged, and ends nothing. */
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

/** Resolves after so many milliseconds, or as soon as the signal is aborted. */
export async function sleepUnlessAborted(signal: AbortSignal, ms: number): Promise<void> {
  await pause(ms, null, { signal }).catch(() => null);
}
