import type { AccountKeyDocument } from '../shared/mongo/documents.js';
import { decodeAccountKey, type AccountKeyRecord } from '../shared/topics/accountKeys.js';
import type { Projection } from './projection.js';

/** A document for each account's data key, and what is left of each that was destroyed: it never comes back. */
export const accountKeysProjection: Projection<AccountKeyDocument> = {
  name: 'accountKeys',
  unreadFields: [],
  read: (record) => {
    const content = decodeAccountKey(record);
    return {
      readable: true,
      content:
        content === null ? [] : [{ id: content.accountId, apply: (document) => folded(document, content) }],
    };
  },
};

function folded(
  before: AccountKeyDocument | null,
  { accountId: _id, at, key }: AccountKeyRecord,
): AccountKeyDocument {
  const positions = before?.positions ?? {};
  if (key === null) {
    const first = before?.destroyed?.first ?? at;
    return { _id, key: null, destroyed: { first, last: at }, positions };
  }
  return before?.destroyed ? before : { _id, key, destroyed: null, positions };
}
