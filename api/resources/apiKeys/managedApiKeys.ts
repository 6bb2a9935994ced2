import type { Account, ApiKey } from '../../../shared/domain/accounts/account.js';
import { identifierTime } from '../../../shared/domain/core/identifiers.js';
import type { ReadModels } from '../../../shared/store/models/readModels.js';
import { readAccount } from '../../authentication/callerAccount.js';
import type { Caller } from '../../http/context.js';
import { paginate, type ListPosition, type Page, type PageRange } from '../../http/paging.js';

type Administrator = Pick<Caller, 'accountId' | 'mode'>;

/**
 * The API keys that a caller manages. A full live key manages all keys of the account, and a full test key only test
 * keys.
 */
export interface ManagedApiKeys {
  readonly account: Pick<Account, 'plan' | 'apiKeys'>;
  find: (id: string) => ApiKey | null;
  /** The position of a key in the caller's list. A deleted key also has a position. */
  positionOf: (id: string) => ListPosition | null;
  page: (range: PageRange) => Page<ApiKey>;
}

/**
 * Reads the API keys of a caller. A command responds only when its change is readable, so a missing key does not exist.
 * @throws UnavailableError while the read model of accounts is incomplete
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
