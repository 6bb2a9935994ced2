import type { DeletedAccounts } from '../../shared/accounts/deletedAccounts.js';
import type { AccountExists } from './accountCache.js';

/**
 * Why an event is nobody's: null where its account takes it. Only another producer appends one for which there is a reason, since
 * nobody has a key of such an account.
 * @param appended when the log took it, in milliseconds since 1970
 * @throws UnavailableError where that cannot be told now
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
      return `there is no account ${accountId}, which ce_source names`;
    }
    const deletedAt = await deleted.deletedAt(accountId);
    // What was there before was right when it was appended. It goes with its account: nobody is told of it, least of all by a copy.
    return deletedAt !== null && appended > deletedAt.getTime()
      ? `the account ${accountId}, which ce_source names, was deleted`
      : null;
  };
}
