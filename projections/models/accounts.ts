import { evolveAccount } from '../../shared/domain/accounts/account.js';
import { accountRecords } from '../../shared/log/records/accounts.js';
import type { AccountDocument } from '../../shared/store/models/documents.js';
import { deduplicate } from './deduplicate.js';
import { readWith, type Projection } from './projection.js';

/** A document for each account, with its API keys. The document of a deleted account keeps only the account's id. */
export const accountsProjection: Projection<AccountDocument> = {
  name: 'accounts',
  read: readWith(accountRecords.decode, (fact) => {
    if (fact.type === 'postrider.action.recorded') {
      return [];
    }
    const { id: recordId, key: id } = fact.context;
    const apply = (document: AccountDocument | null) =>
      deduplicate(document, recordId, (before) => {
        const account = evolveAccount(before === null ? null : { id, ...before }, fact);
        if (account === null) {
          return null;
        }
        const { id: _id, ...fields } = account;
        // Later records of a deleted account change nothing, so duplicates need no detection.
        const recordIds = account.isDeleted === true ? [] : (before?.recordIds ?? []);
        return { ...fields, _id, positions: before?.positions ?? {}, recordIds };
      });
    return [{ id, apply }];
  }),
};
