import { expect } from 'chai';

import { evolveAccount, type Account, type AccountFact } from '../../../../shared/domain/accounts/account.js';
import { isLastOwner, normalizeEmail, statusOf, type User } from '../../../../shared/domain/accounts/user.js';
import {
  accountCreated,
  testUserId,
  userChanged,
  userDeleted,
  userInvited,
  userJoined,
} from '../../../support/accountFacts.js';
import {
  scenario,
  secondsLater,
  start,
  testIdentifier,
  testRecordId,
  type InContext,
} from '../../../support/facts.js';

const { given } = scenario<Account, InContext<AccountFact>>((state, fact) => {
  const after = evolveAccount(state, fact);
  return after?.isDeleted === true ? null : after;
});

const link = { hash: 'first link', expiresAt: secondsLater(60) };

const invited: User = {
  id: testUserId,
  email: 'ada@example.com',
  name: null,
  role: 'owner',
  created: start,
  password: null,
  link,
};

describe('The users of an account', () => {
  it('include an invited user, with a link and without a password', () => {
    expect(given(accountCreated()).when(userInvited()).after?.users).to.deep.equal([invited]);
  });

  it('include no user twice', () => {
    const { before, after } = given(accountCreated(), userInvited()).when(userInvited({ role: 'viewer' }));
    expect(after).to.deep.equal(before);
  });

  it('are different with different ids', () => {
    const other = testIdentifier('usr', 2);
    const { after } = given(accountCreated(), userInvited()).when(userInvited({ userId: other }));
    expect(after?.users.map(({ id }) => id)).to.deep.equal([testUserId, other]);
  });

  it('do not change with another user', () => {
    const other = testIdentifier('usr', 2);
    const both = given(accountCreated(), userInvited(), userInvited({ userId: other }));
    const names = { name: { from: null, to: 'Ada' } };

    expect(both.when(userChanged({ changes: names })).after?.users.map(({ name }) => name)).to.deep.equal([
      'Ada',
      null,
    ]);
    expect(both.when(userDeleted()).after?.users.map(({ id }) => id)).to.deep.equal([other]);
  });

  it('remember the last thousand users that were deleted', () => {
    const deletions = Array.from({ length: 1001 }, (_, number) => userDeleted(testIdentifier('usr', number)));
    const { after } = given(accountCreated()).when(...deletions);

    expect([after?.deletedUsers.length, after?.deletedUsers[0]]).to.deep.equal([
      1000,
      testIdentifier('usr', 1),
    ]);
  });

  it('are invited until they have a password', () => {
    const password = { hash: 'hash of a password', id: testRecordId(9) };

    expect([statusOf({ password: null }), statusOf({ password })]).to.deep.equal(['invited', 'active']);
  });

  it('have a password and no link after the link was used', () => {
    const { after } = given(accountCreated(), userInvited()).when(
      userJoined({ changes: { name: { from: null, to: 'Ada' } } }, { id: testRecordId(9) }),
    );
    expect(after?.users).to.deep.equal([
      { ...invited, name: 'Ada', link: null, password: { hash: 'hash of a password', id: testRecordId(9) } },
    ]);
  });

  for (const [what, facts] of [
    ['was used', [userJoined()]],
    ['was replaced', [userChanged({ link: { ...link, hash: 'second link' } })]],
  ] as const) {
    it(`do not change if a link is used that ${what}`, () => {
      const { before, after } = given(accountCreated(), userInvited(), ...facts).when(
        userJoined({ passwordHash: 'another hash' }),
      );
      expect(after).to.deep.equal(before);
    });
  }

  it('keep their password while they have a new link', () => {
    const { after } = given(accountCreated(), userInvited(), userJoined()).when(
      userChanged({ link: { ...link, hash: 'second link' } }),
    );
    expect(after?.users[0]).to.deep.include({
      password: { hash: 'hash of a password', id: testRecordId(1) },
      link: { ...link, hash: 'second link' },
    });
  });

  it('change only in the fields that the fact changes', () => {
    const { after } = given(accountCreated(), userInvited()).when(
      userChanged({ changes: { role: { from: 'owner', to: 'viewer' } } }),
    );
    expect(after?.users).to.deep.equal([{ ...invited, role: 'viewer' }]);
  });

  it('can lose a name', () => {
    const { after } = given(accountCreated(), userInvited({ name: 'Ada' })).when(
      userChanged({ changes: { name: { from: 'Ada', to: null } } }),
    );
    expect(after?.users[0]?.name).to.equal(null);
  });

  it('no longer include a deleted user, whose duplicate invitation restores none', () => {
    const { after } = given(accountCreated(), userInvited(), userDeleted()).when(userInvited());
    expect([after?.users, after?.deletedUsers]).to.deep.equal([[], [testUserId]]);
  });

  it('have addresses in one form, however they were entered', () => {
    expect(normalizeEmail('Ada@Example.COM')).to.equal('ada@example.com');
  });
});

describe('isLastOwner', () => {
  const password = { hash: 'hash', id: 'record' };
  const owner: User = { ...invited, id: 'usr_1', password };
  const cases: readonly [what: string, others: readonly User[], expected: boolean][] = [
    ['without other users', [], true],
    ['next to a developer', [{ ...owner, id: 'usr_2', role: 'developer' }], true],
    ['next to an owner who never signed in', [{ ...owner, id: 'usr_2', password: null }], true],
    ['next to another owner', [{ ...owner, id: 'usr_2' }], false],
  ];
  for (const [what, others, expected] of cases) {
    it(`returns ${String(expected)} for an owner ${what}`, () => {
      expect(isLastOwner({ users: [owner, ...others] }, owner)).to.equal(expected);
    });
  }

  it('returns false for a user who is not an owner', () => {
    const viewer: User = { ...owner, role: 'viewer' };
    expect(isLastOwner({ users: [viewer] }, viewer)).to.equal(false);
  });
});
