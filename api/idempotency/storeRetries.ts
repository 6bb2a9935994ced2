import { setTimeout as pause } from 'node:timers/promises';

import { withTimeout } from '../../shared/concurrency/withTimeout.js';
import { messageOf, UnavailableError } from '../../shared/core/errors.js';
import type { Logger } from '../../shared/core/logger.js';

/** The longest time for which a result is tried to be stored. The change is complete by then. */
const storeTimeoutMs = 5000;
/**
 * The longest time that an error waits until its key is free. A server did not answer, so the client has waited for long.
 * Until the key is free, a repeated request gets 409.
 */
export const freeWaitMs = 500;
const storeRetryMs = 100;

/**
 * @param name the name of the reservation, for the log
 * @param waitMs how long the caller waits, in milliseconds; by default until the storage has ended. The storage continues
 */
export type RetryStore = (name: string, store: () => Promise<void>, waitMs?: number) => Promise<void>;

export interface StoreRetries {
  /**
   * Retries the storage of a result while the database is unavailable. If the result is not stored, each repeated request
   * gets 409 until the reservation expires. A change is valid even if its result is not stored.
   */
  readonly retryStore: RetryStore;
  /** Resolves when the storage in progress has ended, after at most five seconds. */
  readonly settled: () => Promise<void>;
}

export function createStoreRetries(logger: Pick<Logger, 'warn'>): StoreRetries {
  const inProgress = new Set<Promise<void>>();

  const storeInTime = async (name: string, store: () => Promise<void>) => {
    const deadline = performance.now() + storeTimeoutMs;
    for (;;) {
      try {
        await withTimeout(store(), deadline - performance.now(), 'MongoDB does not respond');
        return;
      } catch (error) {
        if (!(error instanceof UnavailableError) || performance.now() + storeRetryMs >= deadline) {
          const fields = { reservation: name, error: messageOf(error) };
          logger.warn(fields, 'the result of an idempotency key cannot be stored');
          return;
        }
      }
      await pause(storeRetryMs);
    }
  };

  return {
    retryStore: async (name, store, waitMs = Infinity) => {
      const stored = storeInTime(name, store).finally(() => inProgress.delete(stored));
      inProgress.add(stored);
      await (waitMs === Infinity
        ? stored
        : withTimeout(stored, waitMs, 'MongoDB does not respond').catch(() => null));
    },
    settled: async () => {
      await Promise.all(inProgress);
    },
  };
}
