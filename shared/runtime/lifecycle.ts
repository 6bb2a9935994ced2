import { messageOf } from '../core/errors.js';
import type { Logger } from '../core/logger.js';

/** The opened resources of a process, which are closed in reverse order. */
export interface Releasers {
  /** Registers how to close a resource that was just opened. */
  add: (name: string, release: () => Promise<void> | void) => void;
  /**
   * Closes all resources, the last opened resource first. A failure is logged, and the other resources are closed in
   * spite of the failure.
   */
  releaseAll: () => Promise<void>;
}

export function createReleasers(logger: Pick<Logger, 'warn' | 'debug'>): Releasers {
  const stack: { name: string; release: () => Promise<void> | void }[] = [];
  return {
    add: (name, release) => {
      stack.push({ name, release });
    },
    releaseAll: async () => {
      for (let entry = stack.pop(); entry !== undefined; entry = stack.pop()) {
        try {
          await entry.release();
          logger.debug({ resource: entry.name }, 'closed');
        } catch (error) {
          logger.warn(
            { resource: entry.name, error: messageOf(error) },
            'a resource of the process could not be closed',
          );
        }
      }
    },
  };
}

/** The deadline of a process that was asked to stop, in milliseconds. */
export const stopDeadlineMs = 20_000;
