import { expect } from 'chai';

import { createDestroyKey } from '../../../consumers/maintenance/accountDeletion.js';
import { createIdentifiers } from '../../../shared/domain/core/identifiers.js';
import type { AccountKeyDocument } from '../../../shared/store/models/documents.js';
import { secondsLater, start, testIdentifier } from '../../support/facts.js';
import { sealed } from '../../support/webhookFacts.js';

const accountId = testIdentifier('acct');

/** The records that are appended to destroy the key of this document at this time, and whether further steps remain. */
async function destroyedAt(seconds: number, document?: Pick<AccountKeyDocument, 'key' | 'destroyed'>) {
  const appended: (Buffer | null)[] = [];
  const documents = document === undefined ? [] : [{ _id: accountId, positions: {}, ...document }];
  const meta = { _id: 'meta', version: 1, complete: true, positions: {}, target: {} } as const;
  const unused = () => Promise.reject(new Error('not asked'));
  const append = ({ value }: { readonly value: Buffer | null }) => {
    appended.push(value);
    return Promise.resolve({ topic: 'account-keys', partition: 0, offset: 0 } as const);
  };
  const destroyKey = createDestroyKey({
    models: { accountKeys: { findByIds: () => Promise.resolve({ documents, meta }) } },
    log: { append, appendTogether: unused },
    identifiers: createIdentifiers(() => 0.5),
    clock: () => secondsLater(seconds),
  });
  return { isLeft: await destroyKey(accountId), appended };
}

describe('the destruction of an account’s data key', () => {
  it('appends a tombstone if the key exists', async () => {
    expect(await destroyedAt(0, { key: sealed('first'), destroyed: null })).to.deep.equal({
      isLeft: true,
      appended: [null],
    });
  });

  it('waits until a second tombstone can end the segment of the first', async () => {
    const destroyed = { first: start, last: start };
    expect(await destroyedAt(60, { key: null, destroyed })).to.deep.equal({ isLeft: true, appended: [] });
  });

  it('appends the second tombstone then', async () => {
    const destroyed = { first: start, last: start };
    expect(await destroyedAt(65, { key: null, destroyed })).to.deep.equal({
      isLeft: true,
      appended: [null],
    });
  });

  it('is done after the second tombstone', async () => {
    const destroyed = { first: start, last: secondsLater(65) };
    expect(await destroyedAt(500, { key: null, destroyed })).to.deep.equal({ isLeft: false, appended: [] });
  });

  it('is done at once for an account that never had a key', async () => {
    const unsealed = { key: null, destroyed: null };
    expect([await destroyedAt(0), await destroyedAt(0, unsealed)]).to.deep.equal([
      { isLeft: false, appended: [] },
      { isLeft: false, appended: [] },
    ]);
  });
});
