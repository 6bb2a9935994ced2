import { expect } from 'chai';

import { UnavailableError } from '../../../shared/core/errors.js';
import { MissingAccountKeyError, type AccountKey } from '../../../shared/encryption/accountKeys.js';
import { unsealRecords, sealRecord } from '../../../shared/encryption/sealedRecords.js';
import type { OutgoingRecord } from '../../../shared/log/encoding/record.js';
import { accountRecords } from '../../../shared/log/records/accounts.js';
import { accountCreated } from '../../support/accountFacts.js';
import { testIdentifier, testRecordId } from '../../support/facts.js';
import { rawRecord } from '../../support/records.js';

const [one, other] = [testIdentifier('acct', 1), testIdentifier('acct', 2)];
const [key, otherKey] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];

function recordOf(accountId: string, number = 1): OutgoingRecord {
  const fact = accountCreated();
  return accountRecords.encode(fact, {
    ...fact.context,
    id: testRecordId(number),
    key: accountId,
    accountId,
  });
}

function keysAre(...keys: readonly (readonly [string, AccountKey])[]) {
  return { find: () => Promise.resolve(new Map(keys)) };
}

const plain = recordOf(one);
const sealed = sealRecord(plain, one, key);

describe('Sealed records', () => {
  it('reveal nothing of their value', () => {
    expect(sealed.value.toString()).not.to.match(/Example|owner/);
  });

  it('keep their headers', () => {
    expect(sealed.headers).to.deep.equal({ ...plain.headers, ce_sealed: 'account-key' });
  });

  it('are decrypted with the key of their account', async () => {
    const [opened] = await unsealRecords([rawRecord(sealed)], keysAre([one, key]));
    expect(opened?.value).to.deep.equal(plain.value);
  });

  it('are dropped once their account was deleted', async () => {
    expect(await unsealRecords([rawRecord(sealed)], keysAre([one, 'destroyed']))).to.deep.equal([]);
  });

  for (const [what, keys] of Object.entries({
    'is missing': keysAre([one, 'missing'], [other, otherKey]),
    'was never there': keysAre([other, otherKey]),
  })) {
    it(`are never dropped if their key ${what} and the account was not deleted: the error names it`, async () => {
      const records = [rawRecord(sealed), rawRecord(sealRecord(recordOf(other), other, otherKey))];
      const error = await unsealRecords(records, keys).catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(MissingAccountKeyError);
      expect([String(error).includes(one), String(error).includes(other)]).to.deep.equal([true, false]);
    });
  }

  it('stay sealed, and so unreadable, with another key', async () => {
    expect(await unsealRecords([rawRecord(sealed)], keysAre([one, otherKey]))).to.deep.equal([
      rawRecord(sealed),
    ]);
  });

  it('cannot replace another record', async () => {
    const moved = { ...sealed, headers: { ...recordOf(one, 2).headers, ce_sealed: 'account-key' } };
    expect(await unsealRecords([rawRecord(moved)], keysAre([one, key]))).to.deep.equal([rawRecord(moved)]);
  });

  it('are unchanged if they were never sealed, whatever the state of other records', async () => {
    const records = [rawRecord(plain), rawRecord(sealRecord(recordOf(other), other, otherKey))];
    expect(await unsealRecords(records, keysAre([other, 'destroyed']))).to.deep.equal([rawRecord(plain)]);
  });

  it('cannot be read while the keys are unknown', async () => {
    const unknown = { find: () => Promise.reject(new UnavailableError('not yet')) };
    expect(await unsealRecords([rawRecord(sealed)], unknown).catch(String)).to.contain('not yet');
  });
});
