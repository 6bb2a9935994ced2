import { expect } from 'chai';

import { accountKeysProjection } from '../../../projections/models/accountKeys.js';
import { sealRecord } from '../../../shared/encryption/sealedRecords.js';
import type { OutgoingRecord, RawRecord, Tombstone } from '../../../shared/log/encoding/record.js';
import { encodeAccountKey, encodeAccountKeyDestroyed } from '../../../shared/log/records/accountKeys.js';
import { accountRecords } from '../../../shared/log/records/accounts.js';
import { accountCreated, accountDeleted, accountSuspended } from '../../support/accountFacts.js';
import { secondsLater, testIdentifier, testRecordId } from '../../support/facts.js';
import { rawRecord } from '../../support/records.js';
import { sealed } from '../../support/webhookFacts.js';
import { foldedDocument } from '../foldedLog.js';

const accountId = testIdentifier('acct');

function created(name: string): OutgoingRecord {
  return encodeAccountKey(sealed(name), { id: testRecordId(1), accountId, at: secondsLater(0) });
}

function destroyed(seconds: number): Tombstone {
  return encodeAccountKeyDestroyed({ id: testRecordId(2), accountId, at: secondsLater(seconds) });
}

function ofAccount(fact: ReturnType<typeof accountCreated>): OutgoingRecord {
  return accountRecords.encode(fact, { ...fact.context, key: accountId, accountId });
}

const sealedCreation = sealRecord(ofAccount(accountCreated()), accountId, Buffer.alloc(32, 1));
const sealedSuspension = sealRecord(ofAccount(accountSuspended()), accountId, Buffer.alloc(32, 1));
const deletion = ofAccount(accountDeleted());

function documentAfter(...records: readonly (OutgoingRecord | Tombstone)[]) {
  const raw = records.map((record, offset): RawRecord => ({
    ...rawRecord({ ...record, value: record.value ?? Buffer.alloc(0) }, { offset }),
    value: record.value,
  }));
  return foldedDocument(accountKeysProjection, raw);
}

describe('accountKeysProjection', () => {
  it('stores the key of an account', () => {
    expect(documentAfter(created('first'))).to.deep.equal({
      _id: accountId,
      key: sealed('first'),
      destroyed: null,
      positions: { 'account-keys/0': 0 },
    });
  });

  it('replaces the key by the same key under another encryption key', () => {
    expect(documentAfter(created('first'), created('first again'))?.key).to.deep.equal(sealed('first again'));
  });

  it('keeps only the times of a destroyed key, and that the account was deleted', () => {
    expect(documentAfter(created('first'), deletion, destroyed(10), destroyed(75))).to.deep.equal({
      _id: accountId,
      key: null,
      destroyed: { first: secondsLater(10), last: secondsLater(75) },
      isDeleted: true,
      positions: { 'account-keys/0': 3, 'accounts/0': 1 },
    });
  });

  it('keeps the key of a deleted account until it is destroyed', () => {
    expect(documentAfter(created('first'), deletion))
      .to.include({ isDeleted: true })
      .and.deep.include({
        key: sealed('first'),
      });
  });

  it('notes an account without a key from the headers of its first record', () => {
    expect(documentAfter(sealedCreation, sealedSuspension)).to.deep.equal({
      _id: accountId,
      key: null,
      destroyed: null,
      lacksKey: true,
      positions: { 'accounts/0': 0 },
    });
  });

  it('requires no key for an account whose records were never sealed', () => {
    expect(documentAfter(ofAccount(accountCreated()), ofAccount(accountSuspended()))).to.equal(undefined);
  });

  const orders: Readonly<Record<string, readonly (OutgoingRecord | Tombstone)[]>> = {
    'its key': [sealedCreation, created('first')],
    'its deletion': [sealedCreation, deletion],
  };
  for (const [what, records] of Object.entries(orders)) {
    it(`requires no key once it has read ${what}, in whatever order the topics are read`, () => {
      const marks = [records, records.toReversed()].map((order) => documentAfter(...order)?.lacksKey);
      expect(marks).to.deep.equal([undefined, undefined]);
    });
  }

  it('requires a key if it was destroyed without a deletion, because the accounts topic is then older', () => {
    expect(documentAfter(sealedCreation, created('first'), destroyed(10))?.lacksKey).to.equal(true);
  });

  it('never restores a destroyed key', () => {
    expect(documentAfter(destroyed(10), created('first'))?.key).to.equal(null);
  });

  it('ignores records that it cannot read', () => {
    expect(documentAfter({ ...created('first'), value: Buffer.from('{}') })).to.equal(undefined);
    expect(documentAfter({ ...sealedCreation, headers: {} })).to.equal(undefined);
  });
});
