import { expect } from 'chai';

import { UnavailableError } from '../../../shared/core/errors.js';
import type { AccountKey } from '../../../shared/encryption/accountKeys.js';
import { createSealingLog } from '../../../shared/encryption/sealingLog.js';
import type { OutgoingRecord, Tombstone } from '../../../shared/log/encoding/record.js';
import { accountRecords } from '../../../shared/log/records/accounts.js';
import { accountDeleted, accountSuspended, testAccountId } from '../../support/accountFacts.js';

/** The appended record of a fact about an account with this key, or the error. */
async function appendedWith(key: AccountKey | null, fact = accountSuspended()) {
  const appended: (OutgoingRecord | Tombstone)[] = [];
  const append = (record: OutgoingRecord | Tombstone) => {
    appended.push(record);
    return Promise.resolve({ topic: 'accounts', partition: 0, offset: 0 } as const);
  };
  const log = createSealingLog({
    log: { append, appendTogether: (records) => append(records[0]) },
    keys: {
      find: () => Promise.resolve(new Map(key === null ? [] : [[testAccountId, key]])),
      create: () => ({ key: Buffer.alloc(32), sealed: { key: 'first', sealed: '' } }),
    },
    clock: () => new Date(),
  });
  const record = accountRecords.encode(fact, { ...fact.context, key: testAccountId });
  const error: unknown = await log.append(record).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return { error, sealed: appended.map(({ headers }) => headers['ce_sealed']) };
}

describe('createSealingLog', () => {
  it('seals a record with the key of its account', async () => {
    expect(await appendedWith(Buffer.alloc(32, 1))).to.deep.equal({ error: null, sealed: ['account-key'] });
  });

  it('does not change a record if the account never had a key', async () => {
    expect(await appendedWith(null)).to.deep.equal({ error: null, sealed: [undefined] });
  });

  for (const key of ['missing', 'destroyed'] as const) {
    it(`appends no unsealed record of an account whose key is ${key}`, async () => {
      const { error, sealed } = await appendedWith(key);
      expect(error).to.be.instanceOf(UnavailableError);
      expect([String(error).includes(testAccountId), sealed]).to.deep.equal([true, []]);
    });
  }

  it('appends the deletion of an account whose key is missing', async () => {
    expect(await appendedWith('missing', accountDeleted())).to.deep.equal({
      error: null,
      sealed: [undefined],
    });
  });
});
