import type { Account, ApiKey } from '../../../shared/domain/accounts/account.js';
import { identifierTime } from '../../../shared/domain/core/identifiers.js';
import type { ReadModels } from '../../../shared/store/models/readModels.js';
import { readAccount } from '../../authentication/readAccount.js';
import type { Caller } from '../../http/caller.js';
import { pageAmong, type Page, type PageRange, type Place } from '../../http/paging.js';

type Keeper = Pick<Caller, 'accountId' | 'mode'>;

/** The keys that a caller manages: with a full live key all of the account, with a full test key those of test mode. */
export interface KeyRing {
  readonly account: Pick<Account, 'plan' | 'apiKeys'>;
  find: (id: string) => ApiKey | null;
  /** Where a key stands in the caller's list, or stood before it was deleted. */
  placeOf: (id: string) => Place | null;
  page: (range: PageRange) => Page<ApiKey>;
}

/**
 * Reads a caller's keys. A command on keys is answered when its change can be read: so what is missing does not exist.
 * @throws UnavailableError while the model is not complete
 */
export async function readKeyRing(
  accounts: Pick<ReadModels['accounts'], 'findByIds'>,
  keeper: Keeper,
): Promise<KeyRing> {
  const account = await readAccount(accounts, keeper.accountId);
  const apiKeys = account.apiKeys.filter((apiKey) => isManagedBy(keeper, apiKey));
  const find = (id: string) => apiKeys.find((apiKey) => apiKey.id === id) ?? null;
  return {
    account,
    find,
    placeOf: (id) => find(id) ?? placeOfDeleted(account, keeper, id),
    page: (range) => pageAmong(apiKeys, range),
  };
}

function isManagedBy(keeper: Keeper, { mode }: Pick<ApiKey, 'mode'>): boolean {
  return keeper.mode === 'live' || mode === 'test';
}

function placeOfDeleted(
  { deletedApiKeys }: Pick<Account, 'deletedApiKeys'>,
  keeper: Keeper,
  id: string,
): Place | null {
  const wasListed = deletedApiKeys.some((deleted) => deleted.id === id && isManagedBy(keeper, deleted));
  return wasListed ? { id, created: identifierTime(id) } : null;
}
