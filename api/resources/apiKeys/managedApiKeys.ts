import type { Account, ApiKey } from '../../../shared/domain/accounts/account.js';
import { identifierTime } from '../../../shared/domain/core/identifiers.js';
import type { ReadModels } from '../../../shared/store/models/readModels.js';
import { readAccount } from '../../authentication/account.js';
import type { Caller } from '../../http/context.js';
import { paginate, type ListPosition, type Page, type PageRange } from '../../http/paging.js';

type Administrator = Pick<Caller, 'accountId' | 'mode'>;

/** The keys that a caller manages: with a full live key all of the account, with a full test key those of test mode. */
export interface ManagedApiKeys {
  readonly account: Pick<Account, 'plan' | 'apiKeys'>;
  find: (id: string) => ApiKey | null;
  /** Where a key stands in the caller's list, or stood before it was deleted. */
  positionOf: (id: string) => ListPosition | null;
  page: (range: PageRange) => Page<ApiKey>;
}

/**
 * Reads a caller's keys. A command on keys is answered when its change can be read: so what is missing does not exist.
 * @throws UnavailableError while the model is not complete
 */
export async function readManagedApiKeys(
  accounts: Pick<ReadModels['accounts'], 'findByIds'>,
  administrator: Administrator,
): Promise<ManagedApiKeys> {
  const account = await readAccount(accounts, administrator.accountId);
  const apiKeys = account.apiKeys.filter((apiKey) => isManagedBy(administrator, apiKey));
  const find = (id: string) => apiKeys.find((apiKey) => apiKey.id === id) ?? null;
  return {
    account,
    find,
    positionOf: (id) => find(id) ?? positionOfDeleted(account, administrator, id),
    page: (range) => paginate(apiKeys, range),
  };
}

function isManagedBy(administrator: Administrator, { mode }: Pick<ApiKey, 'mode'>): boolean {
  return administrator.mode === 'live' || mode === 'test';
}

function positionOfDeleted(
  { deletedApiKeys }: Pick<Account, 'deletedApiKeys'>,
  administrator: Administrator,
  id: string,
): ListPosition | null {
  const wasListed = deletedApiKeys.some(
    (deleted) => deleted.id === id && isManagedBy(administrator, deleted),
  );
  return wasListed ? { id, created: identifierTime(id) } : null;
}
