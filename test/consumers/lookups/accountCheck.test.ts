import { expect } from 'chai';

import { createAccountCheck } from '../../../consumers/lookups/accountCheck.js';

const deletedAt = new Date('2026-11-21T10:00:00.000Z');

/** Over one account that is there, one that was deleted, and no other. */
const accountCheck = createAccountCheck({
  accountExists: (accountId) => Promise.resolve(['acct_there', 'acct_deleted'].includes(accountId)),
  deleted: { deletedAt: (accountId) => Promise.resolve(accountId === 'acct_deleted' ? deletedAt : null) },
});

describe('createAccountCheck', () => {
  it('takes an event of an account that is there', async () => {
    expect(await accountCheck('acct_there', Date.now())).to.equal(null);
  });

  it('refuses one of an account that was never there', async () => {
    expect(await accountCheck('acct_none', Date.now())).to.equal(
      'there is no account acct_none, which ce_source names',
    );
  });

  it('refuses one that was appended after its account was deleted', async () => {
    expect(await accountCheck('acct_deleted', deletedAt.getTime() + 1)).to.equal(
      'the account acct_deleted, which ce_source names, was deleted',
    );
  });

  it('passes over one that was there before', async () => {
    expect(await accountCheck('acct_deleted', deletedAt.getTime())).to.equal(null);
  });
});
