import { UnavailableError } from '../../shared/core/errors.js';
import type { LiveAccountDocument } from '../../shared/store/models/documents.js';
import type { ReadModels } from '../../shared/store/models/readModels.js';
import { completeDocuments } from '../http/completeDocuments.js';

/**
 * The account of a caller, which is there. A command on it is answered when its change can be read.
 * @throws UnavailableError while the model is not complete
 */
export async function readAccount(
  accounts: Pick<ReadModels['accounts'], 'findByIds'>,
  accountId: string,
): Promise<LiveAccountDocument> {
  const [account] = completeDocuments(await accounts.findByIds([accountId], { owner: accountId }));
  if (account === undefined || account.isDeleted === true) {
    throw new UnavailableError('the account is being read from the log, or was deleted just now');
  }
  return account;
}
