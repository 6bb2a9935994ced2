import { UnavailableError } from '../../shared/core/errors.js';
import type { RecordContext } from '../../shared/domain/core/fact.js';
import type { RequestIdentity } from '../../shared/domain/core/requestIdentity.js';
import type { LiveAccountDocument } from '../../shared/store/models/documents.js';
import type { ReadModels } from '../../shared/store/models/readModels.js';
import { completeDocuments } from '../http/completeDocuments.js';

/**
 * The account of a caller. The account exists, because a command responds only when its change is readable.
 * @throws UnavailableError while the read model of accounts is incomplete
 */
export async function readAccount(
  accounts: Pick<ReadModels['accounts'], 'findByIds'>,
  accountId: string,
): Promise<LiveAccountDocument> {
  const [account] = completeDocuments(await accounts.findByIds(accountId, [accountId]));
  if (account === undefined || account.isDeleted === true) {
    throw new UnavailableError('the account is not in the read model yet, or was just deleted');
  }
  return account;
}

/** The context of a record about the caller's account. The context contains no mode, even for a fact about one mode. */
export function accountRecordContext(accountId: string, identity: RequestIdentity): RecordContext {
  return { id: identity.recordId(), key: accountId, accountId, mode: null, at: identity.created };
}
