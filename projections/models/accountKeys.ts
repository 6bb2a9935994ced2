import { isSealed } from '../../shared/encryption/sealedRecords.js';
import { decodeHeaders } from '../../shared/log/encoding/cloudEvent.js';
import type { RawRecord } from '../../shared/log/encoding/record.js';
import { decodeAccountKey, type AccountKeyRecord } from '../../shared/log/records/accountKeys.js';
import type { AccountKeyDocument } from '../../shared/store/models/documents.js';
import type { DocumentFold, Projection } from './projection.js';

/**
 * A document for each account's data key. A destroyed key leaves a document, so that the key never returns. The headers
 * of the topic `accounts` show which accounts need a key. So a lost key is noticed before a record of the account is
 * decrypted.
 */
export const accountKeysProjection: Projection<AccountKeyDocument> = {
  name: 'accountKeys',
  readsHeadersOnly: true,
  read: (record) => ({
    readable: true,
    content: record.topic === 'accounts' ? foldAccountRecord(record) : foldKeyRecord(record),
  }),
};

type AccountKeyFolds = readonly DocumentFold<AccountKeyDocument>[];

function foldKeyRecord(record: RawRecord): AccountKeyFolds {
  const content = decodeAccountKey(record);
  return content === null ? [] : [{ id: content.accountId, apply: (document) => withKey(document, content) }];
}

/** Folds only the headers of a record. An account whose first record is sealed has had a key since that record. */
function foldAccountRecord(record: RawRecord): AccountKeyFolds {
  const headers = decodeHeaders(record);
  if (!headers.readable) {
    return [];
  }
  const { accountId: id, type } = headers.content;
  if (type === 'postrider.account.deleted') {
    return [
      { id, apply: (before) => withMissingKeyMark({ ...(before ?? emptyDocument(id)), isDeleted: true }) },
    ];
  }
  return type === 'postrider.account.created' && isSealed(record)
    ? [{ id, apply: (before) => before ?? withMissingKeyMark(emptyDocument(id)) }]
    : [];
}

function withKey(before: AccountKeyDocument | null, content: AccountKeyRecord): AccountKeyDocument {
  const { accountId, at, key } = content;
  const document = before ?? emptyDocument(accountId);
  const { destroyed } = document;
  if (key === null) {
    return withMissingKeyMark({ ...document, key, destroyed: { first: destroyed?.first ?? at, last: at } });
  }
  return withMissingKeyMark({
    ...document,
    key: destroyed === null ? key : null,
  });
}

function emptyDocument(_id: string): AccountKeyDocument {
  return { _id, key: null, destroyed: null, positions: {} };
}

/** Marks a document if the account has no key and was not deleted. */
function withMissingKeyMark({ lacksKey: _, ...document }: AccountKeyDocument): AccountKeyDocument {
  return document.key === null && document.isDeleted !== true ? { ...document, lacksKey: true } : document;
}
