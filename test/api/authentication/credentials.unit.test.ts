import { expect } from 'chai';

import { createCheckCredentials } from '../../../api/authentication/credentials.js';
import type { LiveAccountDocument } from '../../../shared/store/models/documents.js';
import { accountOf, memberEmail as email } from '../support/members.js';

function open(accounts: readonly LiveAccountDocument[]) {
  const checks: (readonly string[])[] = [];
  const networks: string[] = [];
  const check = createCheckCredentials(
    {
      findAll: () =>
        Promise.resolve({
          documents: accounts,
          meta: { _id: 'meta', version: 3, complete: true, positions: {}, target: {} },
        }),
    },
    {
      matches: (password, hashes, network) => {
        checks.push(hashes);
        networks.push(network);
        return Promise.resolve(hashes.map((hash) => hash === password));
      },
    },
  );
  return { check, checks, networks };
}

describe('the check of credentials', () => {
  for (const count of [0, 1, 3]) {
    it(`checks the password once for an address in ${count} accounts`, async () => {
      const { check, checks } = open(Array.from({ length: count }, (_, index) => accountOf(index)));
      await check({ email, password: 'wrong' }, '192.0.2.1');
      expect(checks.map(({ length }) => length)).to.deep.equal([count]);
    });
  }

  it('hashes the password in the queue of the client’s network', async () => {
    const { check, networks } = open([accountOf(1)]);
    await check({ email, password: 'wrong' }, '192.0.2.1');
    expect(networks).to.deep.equal(['192.0.2.1']);
  });

  it('checks at most ten accounts, the oldest first', async () => {
    const { check, checks } = open(Array.from({ length: 12 }, (_, index) => accountOf(11 - index)));
    await check({ email, password: 'wrong' }, '192.0.2.1');
    expect(checks).to.deep.equal([Array.from({ length: 10 }, (_, index) => `hash ${index}`)]);
  });

  it('returns the members with the address, and those whose password matches', async () => {
    const { check } = open([accountOf(1), accountOf(2)]);
    const { members, matching } = await check({ email, password: 'hash 2' }, '192.0.2.1');
    expect([members, matching].map((found) => found.map(({ user }) => user.id))).to.deep.equal([
      ['usr_1', 'usr_2'],
      ['usr_2'],
    ]);
  });
});
