import { expect } from 'chai';

import { createTurnRing } from '../../../consumers/fairness/turnRing.js';

const itemOf = (accountId: string, name: string, tenancy: string | null = null) => ({
  ...{ accountId, tenancy, name },
});

/** The names of the next items, in the order of their turns. */
function served(items: readonly ReturnType<typeof itemOf>[], count = items.length + 1) {
  const ring = createTurnRing<ReturnType<typeof itemOf>>();
  items.forEach(ring.put);
  return Array.from({ length: count }, () => ring.take()?.name ?? null);
}

describe('the ring of accounts and tenants', () => {
  it('serves accounts in turn, and the items of each account in turn', () => {
    const items = [itemOf('acct_A', 'first'), itemOf('acct_A', 'second'), itemOf('acct_B', 'third')];

    expect(served(items)).to.deep.equal(['first', 'third', 'second', null]);
  });

  it('serves the tenants of an account in turn, and the items of each tenant in turn', () => {
    const items = [
      ...['acme', 'globex'].flatMap((tenancy) =>
        ['1', '2'].map((number) => itemOf('acct_A', `${tenancy} ${number}`, tenancy)),
      ),
      ...[itemOf('acct_A', 'own'), itemOf('acct_B', 'other')],
    ];

    expect(served(items)).to.deep.equal([
      ...['acme 1', 'other', 'globex 1', 'own', 'acme 2', 'globex 2', null],
    ]);
  });

  it('serves an item once, however often it was put', () => {
    const item = itemOf('acct_A', 'first');

    expect(served([item, item], 2)).to.deep.equal(['first', null]);
  });
});
