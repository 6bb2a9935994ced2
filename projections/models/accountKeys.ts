import type { AccountKeyDocument } from '../../shared/store/models/documents.js';
import { isSealed } from '../../shared/encryption/sealedRecords.js';
import { decodeAccountKey, type AccountKeyRecord } from '../../shared/log/records/accountKeys.js';
import { decodeHeaders } from '../../shared/log/encoding/cloudEvent.js';
import type { RawRecord } from '../../shared/log/encoding/record.js';
import type { Folding, Projection } from './projection.js';

/**
 * A document for each account's data key, and what is left of each that was destroyed: it never comes back. From the headers of
 * the topic `accounts` it knows which accounts need a key, so that a lost key is noticed before a record of the account is opened.
 */
export const accountKeysProjection: Projection<AccountKeyDocument> = {
  name: 'accountKeys',
  unreadFields: [],
  // The log keeps all records of this model, so every version is built from them.
  conversions: {},
  leavesSealed: true,
  read: (record) => ({
    readable: true,
    content: record.topic === 'accounts' ? foldingsOfAccount(record) : foldingsOfKey(record),
  }),
};

type Foldings = readonly Folding<AccountKeyDocument>[];

function foldingsOfKey(record: RawRecord): Foldings {
  const content = decodeAccountKey(record);
  return content === null ? [] : [{ id: content.accountId, apply: (document) => withKey(document, content) }];
}

/** The headers are enough: an account whose first record is sealed has had a key since then. */
function foldingsOfAccount(record: RawRecord): Foldings {
  const headers = decodeHeaders(record);
  if (!headers.readable) {
    return [];
  }
  const { accountId: id, type } = headers.content;
  if (type === 'postrider.account.deleted') {
    return [{ id, apply: (before) => checked({ ...(before ?? unknown(id)), isDeleted: true }) }];
  }
  return type === 'postrider.account.created' && isSealed(record)
    ? [{ id, apply: (before) => before ?? checked(unknown(id)) }]
    : [];
}

function withKey(before: AccountKeyDocument | null, content: AccountKeyRecord): AccountKeyDocument {
  const { accountId, at, key } = content;
  const document = before ?? unknown(accountId);
  const { destroyed } = document;
  if (key === null) {
    return checked({ ...document, key, destroyed: { first: destroyed?.first ?? at, last: at } });
  }
  return checked({
    ...document,
    key: destroyed === null ? key : null,
  });
}

function unknown(_id: string): AccountKeyDocument {
  return { _id, key: null, destroyed: null, positions: {} };
}

/** The document with its mark, if the account has neither a key nor a deletion. */
function checked({ lacksKey: _, ...document }: AccountKeyDocument): AccountKeyDocument {
  return document.key === null && document.isDeleted !== true ? { ...document, lacksKey: true } : document;
}
