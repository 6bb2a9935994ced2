import type { DeletedAccounts } from '../shared/deletedAccounts.js';
import { accountIdOf } from '../shared/topics/cloudEvent.js';
import type { RawRecord } from '../shared/topics/record.js';
import type { ErasableProjection } from './projection.js';

/**
 * Leaves out the records of deleted accounts, whose documents were removed and must not come back, also when the model is built
 * again from the log. Nothing is folded before it is known which accounts those are.
 */
export function createSift(
  { documentsOf }: ErasableProjection,
  deleted: DeletedAccounts,
): (records: readonly RawRecord[]) => Promise<readonly RawRecord[]> {
  if (documentsOf === undefined) {
    return (records) => Promise.resolve(records);
  }
  return async (records) => {
    const ids = await deleted.ids();
    return ids.size === 0 ? records : records.filter((record) => !ids.has(accountIdOf(record)));
  };
}
