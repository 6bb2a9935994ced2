import { createPeriodicTask, type PeriodicTask } from '../concurrency/periodicTask.js';
import { singleFlight } from '../concurrency/singleFlight.js';
import type { Clock } from '../core/clock.js';
import { UnavailableError } from '../core/errors.js';
import type { Logger } from '../core/logger.js';
import type { AccountDocument } from '../store/models/documents.js';
import type { MetaDocument } from '../store/models/generations.js';
import { changedDocuments, isContinued } from '../store/models/modelChanges.js';
import type { ReadModel } from '../store/models/readModels.js';

export interface DeletedAccounts {
  /**
   * Returns the ids of all accounts that were deleted more than `forMs` ago. The answer is at most three seconds old. A
   * later call of `ids` may add ids to the returned set.
   * @throws UnavailableError while the read model `accounts` is incomplete, because an account may be missing
   */
  ids: () => Promise<ReadonlySet<string>>;
  /**
   * Returns when an account was deleted; null if the account was not deleted. The answer is at most three seconds old.
   * @throws UnavailableError while the read model `accounts` is incomplete
   */
  deletedAt: (accountId: string) => Promise<Date | null>;
}

export interface DeletedAccountsOptions {
  readonly clock: Clock;
  /** How long ago an account must have been deleted to be in the result of `ids`, in milliseconds. */
  readonly forMs?: number;
}

interface Known {
  /** When each account was deleted, by account id. */
  readonly deletions: Map<string, Date>;
  /** The ids of accounts that were deleted more than `forMs` ago. */
  readonly ids: Set<string>;
  readonly recent: Set<string>;
  /** The meta document from before the last read of accounts; null before the first read. */
  readonly meta: MetaDocument | null;
  /** When the last read of accounts began, by `performance.now()`. */
  readonly readAt: number;
}

const maximumAgeMs = 1000;

/**
 * Creates a cache of deleted accounts, each of which is read once. An account stays deleted, so a read asks only for
 * documents that changed since the last read. The cost of a read does not grow with the number of deleted accounts.
 */
export function createDeletedAccounts(
  accounts: Pick<ReadModel<AccountDocument>, 'findAll' | 'recentMeta'>,
  { clock, forMs = 0 }: DeletedAccountsOptions,
): DeletedAccounts {
  let known: Known | null = null;

  /** Adds the deleted accounts whose documents changed since `before` was read. */
  const readChanges = async (before: Known, meta: MetaDocument): Promise<void> => {
    const changed = changedDocuments('accounts', before.meta?.positions ?? {}, meta.positions);
    if (changed === null) {
      return;
    }
    const answer = await accounts.findAll({ isDeleted: true, ...changed }, { without: ['recordIds'] });
    if (!isContinued('accounts', meta, answer.meta)) {
      throw unavailable();
    }
    answer.documents.forEach((document) => {
      add(before, document);
    });
  };

  const read = singleFlight(async (): Promise<Known> => {
    const readAt = performance.now();
    const meta = await accounts.recentMeta();
    if (!meta.complete) {
      throw unavailable();
    }
    const before = continuedBy(known, meta) ?? nothingKnown();
    await readChanges(before, meta);
    return { ...before, meta, readAt };
  });

  const knownNow = async (): Promise<Known> => {
    if (known === null || performance.now() - known.readAt > maximumAgeMs) {
      known = await read();
    }
    return known;
  };

  return {
    ids: async () => {
      const { deletions, ids, recent } = await knownNow();
      const latest = clock().getTime() - forMs;
      for (const id of recent) {
        if ((deletions.get(id)?.getTime() ?? Infinity) <= latest) {
          recent.delete(id);
          ids.add(id);
        }
      }
      return ids;
    },
    deletedAt: async (accountId) => (await knownNow()).deletions.get(accountId) ?? null,
  };
}

/** The known accounts, if the current generation continues from the positions of the last read. */
function continuedBy(known: Known | null, meta: MetaDocument): Known | null {
  const before = known?.meta ?? null;
  return before !== null && isContinued('accounts', before, meta) ? known : null;
}

function add({ deletions, recent }: Known, document: AccountDocument): void {
  if (document.isDeleted === true && !deletions.has(document._id)) {
    deletions.set(document._id, document.deletedAt);
    recent.add(document._id);
  }
}

function nothingKnown(): Known {
  return { deletions: new Map(), ids: new Set(), recent: new Set(), meta: null, readAt: 0 };
}

function unavailable(): UnavailableError {
  return new UnavailableError('this process is still reading the deleted accounts from the log');
}

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
