import { expect } from 'chai';

import { erasableModels } from '../../../projections/models/erasableModels.js';
import { fencesOf } from '../../../shared/store/models/fences.js';

const account = { id: 'acct_1', webhookIds: ['wh_1', 'wh_2'] };

describe('the models of which the data of a deleted account is removed', () => {
  it('are found by the account, by its webhooks, or by ids that begin with the account', () => {
    const filters = erasableModels.map(({ name, accountDocumentsFilter }) => [
      name,
      accountDocumentsFilter(account),
    ]);

    expect(Object.fromEntries(filters)).to.deep.equal({
      events: { accountId: 'acct_1' },
      attempts: { webhookId: { $in: ['wh_1', 'wh_2'] } },
      audit: { $or: [{ accountId: 'acct_1' }, fencesOf('acct_1')] },
      stats: { _id: { $gte: 'acct_1/', $lt: 'acct_10' } },
      replays: { $or: [{ accountId: 'acct_1' }, fencesOf('acct_1')] },
    });
  });
});
