import type { AccountKeyDocument } from '../shared/mongo/documents.js';
import { decodeAccountKey, type AccountKeyRecord } from '../shared/topics/accountKeys.js';
import type { Projection } from './projection.js';

/** A document for each account's data key, and what is left of each that was destroyed: it never comes back. */
export const accountKeysProjection: Projection<AccountKeyDocument> = {
  name: 'accountKeys',
  unreadFields: [],
  // The log keeps all records of this model, so every version is built from them.
  conversions: {},
  read: (record) => {
    const content = decodeAccountKey(record);
    return {
      readable: true,
      content:
        content === null ? [] : [{ id: content.accountId, apply: (document) => folded(document, content) }],
    };
  },
};

function folded(before: AccountKeyDocument | null, content: AccountKeyRecord): AccountKeyDocument {
  const { accountId: _id, at, key } = content;
  const { positions, destroyed } = before ?? { positions: {}, destroyed: null };
  if (key === null) {
    return { _id, key, destroyed: { first: destroyed?.first ?? at, last: at }, positions };
  }
  return { _id, key: destroyed === null ? key : null, destroyed, positions };
}
