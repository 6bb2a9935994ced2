import { messageOf } from '../core/errors.js';
import type { Logger } from '../core/logger.js';

/** What has been opened, closed in the other order. */
export interface Releasers {
  /** Registers how to close what was just opened. */
  add: (name: string, release: () => Promise<void> | void) => void;
  /** Closes everything, last opened first; one that fails is logged and does not hold up the others. */
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
          logger.warn({ resource: entry.name, error: messageOf(error) }, 'could not be closed in order');
        }
      }
    },
  };
}

/** A process that was asked to stop has this long until it ends anyway, in milliseconds. */
export const stopDeadlineMs = 20_000;
