import type { DeletedAccounts } from './deletedAccounts.js';
import type { Logger } from '../core/logger.js';
import { createPeriodicTask, type PeriodicTask } from '../concurrency/periodicTask.js';

export interface DeletedAccountSweepDependencies {
  readonly deleted: Pick<DeletedAccounts, 'ids'>;
  /**
   * Ends or removes what is found of an account.
   * @returns whether anything was found
   */
  readonly sweep: (accountId: string, signal: AbortSignal) => Promise<boolean>;
  /** Whether this process works on an account. */
  readonly isOurs?: (accountId: string) => boolean;
  readonly logger: Pick<Logger, 'warn'>;
  /** Milliseconds that only go forward. */
  readonly now: () => number;
  /** Between two passes, in milliseconds; a second by default. */
  readonly restMs?: number;
}

const defaultRestMs = 1000;
/**
 * For how long after an account was found deleted something of it may still appear: a request that was let in before, a batch
 * that was begun before. Whoever looks later knows of the deletion.
 */
const settledAfterMs = 60_000;

/**
 * Looks again and again at each deleted account until nothing of it is left. Nothing is remembered beyond the process: at its
 * start all of them are looked at.
 *
 * ```
 *   deleted account found ──► swept every second ──► settled, after a minute and a pass that found nothing
 * ```
 */
export function createDeletedAccountSweep(dependencies: DeletedAccountSweepDependencies): PeriodicTask {
  const { deleted, sweep, isOurs = () => true, logger, now, restMs = defaultRestMs } = dependencies;
  const foundAt = new Map<string, number>();
  const settled = new Set<string>();

  const sweepOne = async (accountId: string, signal: AbortSignal) => {
    const since = foundAt.get(accountId) ?? now();
    foundAt.set(accountId, since);
    const isLate = now() - since >= settledAfterMs;
    if (!(await sweep(accountId, signal)) && isLate) {
      foundAt.delete(accountId);
      settled.add(accountId);
    }
  };

  const pass = async (signal: AbortSignal) => {
    for (const accountId of await deleted.ids()) {
      if (!settled.has(accountId) && isOurs(accountId) && !signal.aborted) {
        await sweepOne(accountId, signal);
      }
    }
  };

  return createPeriodicTask({
    ...{ pass, logger, restMs },
    warning: 'what is left of deleted accounts waits to be removed',
  });
}
