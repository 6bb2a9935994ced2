import { expect } from 'chai';

import { createDeletedAccounts } from '../../../shared/accounts/deletedAccounts.js';
import { evolveAccount } from '../../../shared/domain/accounts/account.js';
import type { AccountDocument } from '../../../shared/store/models/documents.js';
import { accountCreated } from '../../support/accountFacts.js';
import { eventually } from '../../support/eventually.js';
import { secondsLater, start } from '../../support/facts.js';
import { openStoredModels, type Cost, type StoredModels } from '../../support/storedModels.js';

const clock = () => secondsLater(60);

function deletedAccount(number: number, offset: number, deletedAt = start): AccountDocument {
  return {
    ...{ _id: `acct_deleted${number}`, isDeleted: true, deletedAt },
    ...{ positions: { [`accounts/${number % 2}`]: offset }, recordIds: [] },
  };
}

describe('The deleted accounts', () => {
  let stored: StoredModels;
  const open = async () => {
    stored = await openStoredModels('accounts');
    await stored.advance('accounts', { accounts: { '0': 10, '1': 10 } });
  };
  beforeEach(open);
  afterEach(() => stored.close());

  const insert = (...documents: readonly AccountDocument[]) =>
    stored.collectionOf('accounts').insertMany([...documents]);

  /** The cost of learning about one more deletion. */
  const costOfOneMore = async (already: number): Promise<Cost> => {
    await insert(...Array.from({ length: already }, (_, number) => deletedAccount(number, 5)));
    const deleted = createDeletedAccounts(stored.models.accounts, { clock });
    await deleted.ids();
    await insert(deletedAccount(501, 10));
    await stored.advance('accounts', { accounts: { '0': 10, '1': 11 } });
    const cost = await stored.costOf('accounts', () =>
      eventually('the deletion', async () => ((await deleted.ids()).has('acct_deleted501') ? true : null)),
    );
    expect((await deleted.ids()).size).to.equal(already + 1);
    return cost;
  };

  it('are found by an index without other accounts', async () => {
    const created = evolveAccount(null, accountCreated());
    if (created === null || created.isDeleted === true) {
      throw new Error('an account that was created is not there');
    }
    const { id: _id, ...account } = created;
    const others = Array.from({ length: 200 }, (_, number) => ({
      ...{ ...account, _id: `acct_${number}` },
      ...{ positions: { 'accounts/0': number % 10 }, recordIds: [] },
    }));
    await insert(...others);
    await insert(deletedAccount(0, 5), deletedAccount(1, 5));
    const deleted = createDeletedAccounts(stored.models.accounts, { clock });
    let ids: ReadonlySet<string> = new Set();
    const cost = await stored.costOf('accounts', async () => {
      ids = await deleted.ids();
    });

    expect([...ids]).to.have.members(['acct_deleted0', 'acct_deleted1']);
    expect(cost.documents).to.be.at.most(10);
  });

  it('are each read once: another one costs the same next to 500 as next to one', async () => {
    const one = await costOfOneMore(1);
    await stored.close();
    await open();

    expect((await costOfOneMore(500)).documents).to.equal(one.documents);
  });

  it('are among the ids only after the requested time', async () => {
    let now = secondsLater(1);
    await insert(deletedAccount(0, 5, start));
    const deleted = createDeletedAccounts(stored.models.accounts, { clock: () => now, forMs: 5000 });
    const before = (await deleted.ids()).size;
    now = secondsLater(5);

    expect([before, (await deleted.ids()).size]).to.deep.equal([0, 1]);
    expect(await deleted.deletedAt('acct_deleted0')).to.deep.equal(start);
  });
});
