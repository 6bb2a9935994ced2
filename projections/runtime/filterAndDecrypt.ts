import type { AccountKeys } from '../../shared/encryption/accountKeys.js';
import type { DeletedAccounts } from '../../shared/accounts/deletedAccounts.js';
import { openRecords } from '../../shared/encryption/sealedRecords.js';
import { accountIdOf } from '../../shared/log/encoding/cloudEvent.js';
import type { RawRecord } from '../../shared/log/encoding/record.js';
import type { FilteredProjection } from '../models/projection.js';

/** What is to be folded of some records, and how it read before it was sealed. */
export type FilterAndDecrypt = (records: readonly RawRecord[]) => Promise<readonly RawRecord[]>;

export interface FilterAndDecryptDependencies {
  readonly deleted: Pick<DeletedAccounts, 'ids'>;
  readonly keys: Pick<AccountKeys, 'find'>;
}

/**
 * Leaves out the records of deleted accounts, whose documents were removed and must not come back, also when the model is built
 * again from the log; and opens what is sealed: folds never decrypt. Nothing is folded before it is known which accounts were deleted,
 * and which keys there are. If the key of an account is missing that was not deleted, the batch fails, so that no record is lost.
 */
export function createFilterAndDecrypt(
  { documentsOf, leavesSealed = false }: FilteredProjection,
  { deleted, keys }: FilterAndDecryptDependencies,
): FilterAndDecrypt {
  const withoutDeleted: FilterAndDecrypt = async (records) => {
    const ids = documentsOf === undefined ? nobody : await deleted.ids();
    return ids.size === 0 ? records : records.filter((record) => !ids.has(accountIdOf(record)));
  };
  return leavesSealed ? withoutDeleted : async (records) => openRecords(await withoutDeleted(records), keys);
}

const nobody: ReadonlySet<string> = new Set();
