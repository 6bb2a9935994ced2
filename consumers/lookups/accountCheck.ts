import type { DeletedAccounts } from '../../shared/accounts/deletedAccounts.js';
import { createBoundedSet } from '../../shared/concurrency/boundedMap.js';
import { withTimeout } from '../../shared/concurrency/withTimeout.js';
import { UnavailableError } from '../../shared/core/errors.js';
import type { AccountDocument } from '../../shared/store/models/documents.js';
import { allPartitions, hasReached, type ModelAndLog } from '../../shared/store/models/modelProgress.js';
import type { ReadModel } from '../../shared/store/models/readModels.js';

/**
 * The check that rejects events of unknown or deleted accounts. No client has a key of such an account, so only other
 * producers append these events.
 * @param appended the time of the append, in milliseconds since 1970
 * @returns why the event is rejected; null if the event is accepted
 * @throws UnavailableError if the state of the account is not known now
 */
export type AccountCheck = (accountId: string, appended: number) => Promise<string | null>;

export interface AccountCheckDependencies {
  readonly accountExists: AccountExists;
  readonly deleted: Pick<DeletedAccounts, 'deletedAt'>;
}

export function createAccountCheck(dependencies: AccountCheckDependencies): AccountCheck {
  const { accountExists, deleted } = dependencies;
  return async (accountId, appended) => {
    if (!(await accountExists(accountId))) {
      return `the account ${accountId} in ce_source does not exist`;
    }
    const deletedAt = await deleted.deletedAt(accountId);
    // An event from before the deletion of its account was valid when it was appended. The deletion of an account
    // deletes its events, and a dead letter would copy the event.
    return deletedAt !== null && appended > deletedAt.getTime()
      ? `the account ${accountId} in ce_source was deleted`
      : null;
  };
}

/**
 * Whether an account exists. False is final: the log contains no such account.
 * @throws UnavailableError if the answer is not known now
 */
export type AccountExists = (accountId: string) => Promise<boolean>;

export interface AccountCacheDependencies extends ModelAndLog {
  readonly model: Pick<ReadModel<AccountDocument>, 'findByIds'>;
  /** How many existing accounts are remembered. The records of accounts stay in the log, so no entry expires. */
  readonly capacity: number;
}

/** How long a look-up waits for the model `accounts`, in milliseconds. */
const waitMs = 4000;

/** A cache of the accounts that exist. Simultaneous look-ups of one account share one read. */
export function createAccountCache(dependencies: AccountCacheDependencies): AccountExists {
  const { model, progress, offsets, capacity } = dependencies;
  const existing = createBoundedSet<string>(capacity);
  const inFlight = new Map<string, Promise<boolean>>();

  const lookUp = async (accountId: string): Promise<boolean> => {
    const first = await model.findByIds(accountId, [accountId]);
    return first.documents.length > 0 || lookUpAgain(accountId);
  };

  /** Absence is final only if the read itself has passed the end that the log had when the account was missing. */
  const lookUpAgain = async (accountId: string): Promise<boolean> => {
    const deadline = performance.now() + waitMs;
    const ends = await withTimeout(offsets.ends('accounts'), waitMs, 'Kafka does not respond');
    const awaited = allPartitions(ends);
    await progress.reached('accounts', awaited, deadline - performance.now());
    const { documents, meta } = await model.findByIds(accountId, [accountId]);
    if (documents.length === 0 && !hasReached(meta, 'accounts', awaited)) {
      throw new UnavailableError('the read model "accounts" is behind the log');
    }
    return documents.length > 0;
  };

  const lookUpOnce = (accountId: string): Promise<boolean> => {
    const known = inFlight.get(accountId);
    if (known !== undefined) {
      return known;
    }
    const answer = lookUp(accountId).finally(() => inFlight.delete(accountId));
    inFlight.set(accountId, answer);
    return answer;
  };

  return async (accountId) => {
    if (existing.has(accountId)) {
      return true;
    }
    const exists = await lookUpOnce(accountId);
    if (exists) {
      existing.add(accountId);
    }
    return exists;
  };
}
