import { createPeriodicTask, type PeriodicTask } from '../concurrency/periodicTask.js';
import type { Logger } from '../core/logger.js';
import type { DeletedAccounts } from './deletedAccounts.js';

export interface DeletedAccountSweepDependencies {
  readonly deleted: Pick<DeletedAccounts, 'ids'>;
  /**
   * Ends the deliveries or removes the data that is found of a deleted account.
   * @returns whether the sweep found anything of the account
   */
  readonly sweep: (accountId: string, signal: AbortSignal) => Promise<boolean>;
  /** Whether this process sweeps an account; all accounts by default. */
  readonly isOurs?: (accountId: string) => boolean;
  readonly logger: Pick<Logger, 'warn'>;
  /** The current time of a monotonic clock, in milliseconds. */
  readonly now: () => number;
  /** The pause between two sweeps, in milliseconds; one second by default. */
  readonly restMs?: number;
}

const defaultRestMs = 1000;
/**
 * How long after its deletion an account's data may still appear, in milliseconds. Requests and batches that began
 * before the deletion can still write data of the account.
 */
const settledAfterMs = 60_000;

/**
 * Creates a periodic task that sweeps each deleted account until nothing of the account is left. The sweep stores no
 * state, so a new process sweeps all deleted accounts again.
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
    pass,
    logger,
    restMs,
    warning: 'the data of deleted accounts could not be removed; the process tries again',
  });
}
