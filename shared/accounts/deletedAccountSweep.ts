import { createPeriodicTask, type PeriodicTask } from '../concurrency/periodicTask.js';
import type { Logger } from '../core/logger.js';
import type { DeletedAccounts } from './deletedAccounts.js';

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
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** The pause between two passes, in milliseconds; one second by default. */
  readonly restMs?: number;
}

const defaultRestMs = 1000;
/**
 * How long after the deletion of an account new data of it may still appear, from a request or a batch that began
 * before. Later requests and batches know of the deletion.
 */
const settledAfterMs = 60_000;

/**
 * Sweeps each deleted account until nothing of it is left. The sweep stores no state: a new process sweeps all deleted
 * accounts again.
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
    warning: 'the data of deleted accounts could not be removed; the process tries again',
  });
}
