import { expect } from 'chai';

import { createCheckCredentials } from '../../../api/sessions/credentials.js';
import type { LiveAccountDocument } from '../../../shared/mongo/documents.js';

const email = 'ada@example.com';

function accountOf(number: number): LiveAccountDocument {
  const created = new Date(number);
  const user = {
    id: `usr_${number}`,
    email,
    name: null,
    role: 'owner',
    created,
    password: { hash: `hash ${number}`, id: '' },
    link: null,
  } as const;
  return {
    _id: `acct_${number}`,
    positions: {},
    recordIds: [],
    name: 'Shop',
    email,
    plan: 'pro',
    requestsPerSecond: 100,
    created,
    isSuspended: false,
    suspensions: 0,
    apiKeys: [],
    deletedApiKeys: [],
    users: [user],
    deletedUsers: [],
  };
}

function open(accounts: readonly LiveAccountDocument[]) {
  const checks: (readonly string[])[] = [];
  const check = createCheckCredentials(
    {
      findAll: () =>
        Promise.resolve({
          documents: accounts,
          meta: { _id: 'meta', version: 3, complete: true, positions: {}, target: {} },
        }),
    },
    {
      matches: (password, hashes) => {
        checks.push(hashes);
        return Promise.resolve(hashes.map((hash) => hash === password));
      },
    },
  );
  return { check, checks };
}

describe('api/sessions/credentials', () => {
  for (const count of [0, 1, 3]) {
    it(`checks the password once for an address in ${count} accounts`, async () => {
      const { check, checks } = open(Array.from({ length: count }, (_, index) => accountOf(index)));
      await check({ email, password: 'wrong' }, '192.0.2.1');
      expect(checks.map(({ length }) => length)).to.deep.equal([count]);
    });
  }

  it('tries the oldest accounts first, ten at most', async () => {
    const { check, checks } = open(Array.from({ length: 12 }, (_, index) => accountOf(11 - index)));
    await check({ email, password: 'wrong' }, '192.0.2.1');
    expect(checks).to.deep.equal([Array.from({ length: 10 }, (_, index) => `hash ${index}`)]);
  });

  it('finds all members with the password, and those that it was tried for', async () => {
    const { check } = open([accountOf(1), accountOf(2)]);
    const { members, matching } = await check({ email, password: 'hash 2' }, '192.0.2.1');
    expect([members, matching].map((found) => found.map(({ user }) => user.id))).to.deep.equal([
      ['usr_1', 'usr_2'],
      ['usr_2'],
    ]);
  });
});
