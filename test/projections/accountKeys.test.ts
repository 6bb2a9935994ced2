import { expect } from 'chai';

import { accountKeysProjection } from '../../projections/accountKeys.js';
import { encodeAccountKey, encodeAccountKeyDestroyed } from '../../shared/topics/accountKeys.js';
import type { OutgoingRecord, RawRecord, Tombstone } from '../../shared/topics/record.js';
import { secondsLater, testIdentifier, testRecordId } from '../support/facts.js';
import { rawRecord } from '../support/records.js';
import { sealed } from '../support/webhookFacts.js';
import { foldedDocument } from './foldedLog.js';

const accountId = testIdentifier('acct');

function created(name: string): OutgoingRecord {
  return encodeAccountKey(sealed(name), { id: testRecordId(1), accountId, at: secondsLater(0) });
}

function destroyed(seconds: number): Tombstone {
  return encodeAccountKeyDestroyed({ id: testRecordId(2), accountId, at: secondsLater(seconds) });
}

function documentAfter(...records: readonly (OutgoingRecord | Tombstone)[]) {
  const raw = records.map((record, offset): RawRecord => ({
    ...rawRecord({ ...record, value: record.value ?? Buffer.alloc(0) }, { offset }),
    value: record.value,
  }));
  return foldedDocument(accountKeysProjection, raw);
}

describe('accountKeysProjection', () => {
  it('knows the key of an account', () => {
    expect(documentAfter(created('first'))).to.deep.equal({
      _id: accountId,
      key: sealed('first'),
      destroyed: null,
      positions: { 'account-keys/0': 0 },
    });
  });

  it('takes the same key under another encryption key', () => {
    expect(documentAfter(created('first'), created('first again'))?.key).to.deep.equal(sealed('first again'));
  });

  it('keeps nothing of a key that was destroyed but when', () => {
    expect(documentAfter(created('first'), destroyed(10), destroyed(75))).to.deep.equal({
      _id: accountId,
      key: null,
      destroyed: { first: secondsLater(10), last: secondsLater(75) },
      positions: { 'account-keys/0': 2 },
    });
  });

  it('has no key come back', () => {
    expect(documentAfter(destroyed(10), created('first'))?.key).to.equal(null);
  });

  it('passes over what it cannot read', () => {
    expect(documentAfter({ ...created('first'), value: Buffer.from('{}') })).to.equal(undefined);
  });
});
