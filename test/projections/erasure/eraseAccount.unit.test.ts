import { expect } from 'chai';

import { erasableModels } from '../../../projections/erasure/eraseAccount.js';
import { derivedOf } from '../../../shared/store/models/documents.js';
import { fencesOf } from '../../../shared/store/models/fences.js';

describe('the models of which the data of a deleted account is removed', () => {
  it('are found by the account, or by ids that begin with the account', () => {
    const filters = erasableModels.map(({ name, accountDocumentsFilter }) => [
      name,
      accountDocumentsFilter('acct_1'),
    ]);

    expect(Object.fromEntries(filters)).to.deep.equal({
      events: { $or: [{ accountId: 'acct_1' }, ...derivedOf('acct_1')] },
      attempts: { accountId: 'acct_1' },
      audit: { $or: [{ accountId: 'acct_1' }, fencesOf('acct_1')] },
      stats: { _id: { $gte: 'acct_1/', $lt: 'acct_10' } },
      eventTypes: { $or: [{ accountId: 'acct_1' }, fencesOf('acct_1')] },
      tenants: {
        $or: [
          { _id: { $gte: 'acct_1/', $lt: 'acct_10' } },
          { accountId: 'acct_1', keyStatus: { $exists: true } },
          fencesOf('acct_1'),
        ],
      },
      replays: { $or: [{ accountId: 'acct_1' }, fencesOf('acct_1')] },
    });
  });
});
