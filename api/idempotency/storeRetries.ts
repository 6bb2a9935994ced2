import { setTimeout as pause } from 'node:timers/promises';

import { withTimeout } from '../../shared/concurrency/withTimeout.js';
import { messageOf, UnavailableError } from '../../shared/core/errors.js';
import type { Logger } from '../../shared/core/logger.js';

/**
 * The longest time that a response waits until its result is stored. The change is complete by then, and the client is
 * waiting.
 */
const storeTimeoutMs = 5000;
const storeRetryMs = 100;

/** @param name the name of the reservation, for the log */
export type RetryStore = (name: string, store: () => Promise<void>) => Promise<void>;

/**
 * Retries the storage of a result while the database is unavailable. If the result is not stored, each repeated request
 * gets 409 until the reservation expires. A change is valid even if its result is not stored.
 */
export function createStoreRetries(logger: Pick<Logger, 'warn'>): RetryStore {
  return async (name, store) => {
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
}
