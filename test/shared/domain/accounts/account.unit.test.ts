import { expect } from 'chai';
import fc from 'fast-check';

import {
  evolveAccount,
  type AccountFact,
  type AccountState,
} from '../../../../shared/domain/accounts/account.js';
import { defaultPortalSettings } from '../../../../shared/domain/accounts/portalSettings.js';
import {
  actionRecorded,
  accountCreated,
  accountDeleted,
  accountResumed,
  accountSuspended,
  apiKeyCreated,
  apiKeyDeleted,
  apiKeyFirstUsed,
  planChanged,
  settingsChanged,
  testAccountId,
} from '../../../support/accountFacts.js';
import { anyAccountFact } from '../../../support/arbitraries.js';
import {
  contextOf,
  scenario,
  secondsLater,
  start,
  testIdentifier,
  type InContext,
} from '../../../support/facts.js';
import { itHolds } from '../../../support/itHolds.js';

type Fact = InContext<AccountFact>;

const { given } = scenario<NonNullable<AccountState>, Fact>(evolveAccount);

const firstKey = testIdentifier('key', 1);
const secondKey = testIdentifier('key', 2);
const toPro = planChanged({ from: 'free', to: 'pro' }, { from: 10, to: 100 });

const live = (account: AccountState) => (account?.isDeleted === true ? null : account);
const keyIds = (account: AccountState) => live(account)?.apiKeys.map(({ id }) => id);

describe('evolveAccount', () => {
  it('creates an account with the key and time of the record', () => {
    expect(given().when(accountCreated()).after).to.deep.equal({
      id: testAccountId,
      name: 'Example',
      email: 'owner@example.com',
      plan: 'free',
      requestsPerSecond: 10,
      created: start,
      isSuspended: false,
      suspensions: 0,
      apiKeys: [],
      deletedApiKeys: [],
      users: [],
      deletedUsers: [],
    });
  });

  it('creates it once', () => {
    const { before, after } = given(accountCreated(), toPro).when(accountCreated('Another'));

    expect(after).to.deep.equal(before);
  });

  it('changes the portal settings, and nothing else', () => {
    const portal = { ...defaultPortalSettings, origins: ['https://shop.example.com'] };
    const changed = settingsChanged({ from: defaultPortalSettings, to: portal });
    const { before, after } = given(accountCreated(), apiKeyCreated(firstKey)).when(changed);

    expect(after).to.deep.equal({ ...before, portal });
  });

  it('changes the plan and its limit, and nothing else', () => {
    const { before, after } = given(accountCreated(), apiKeyCreated(firstKey)).when(toPro);

    expect(after).to.deep.equal({ ...before, plan: 'pro', requestsPerSecond: 100 });
  });

  it('adds a key with the time of its record', () => {
    const { id, at } = { id: firstKey, at: secondsLater(5) };
    const fact = apiKeyCreated(id, {
      name: 'Server',
      scopes: ['events:read'],
      expiresAt: secondsLater(3600),
    });
    const { after } = given(accountCreated()).when({ ...fact, context: { ...fact.context, at } });

    expect(live(after)?.apiKeys).to.deep.equal([
      {
        id,
        name: 'Server',
        mode: 'live',
        scopes: ['events:read'],
        expiresAt: secondsLater(3600),
        hash: `hash of ${id}`,
        prefix: 'sk_live_',
        last4: 'aB3d',
        created: at,
      },
    ]);
  });

  it('keeps keys in the order of their creation', () => {
    const { after } = given(accountCreated()).when(apiKeyCreated(secondKey), apiKeyCreated(firstKey));

    expect(keyIds(after)).to.deep.equal([secondKey, firstKey]);
  });

  it('adds a key once', () => {
    const { before, after } = given(accountCreated(), apiKeyCreated(firstKey)).when(
      apiKeyCreated(firstKey, { hash: 'of another secret' }),
    );

    expect(after).to.deep.equal(before);
  });

  it('removes a key, and keeps the others', () => {
    const { after } = given(accountCreated(), apiKeyCreated(firstKey), apiKeyCreated(secondKey)).when(
      apiKeyDeleted(firstKey),
    );

    expect(keyIds(after)).to.deep.equal([secondKey]);
  });

  it('notes the first use of a key, and keeps its time', () => {
    const { before, after } = given(
      accountCreated(),
      apiKeyCreated(firstKey),
      apiKeyCreated(secondKey),
      apiKeyFirstUsed(firstKey),
    ).when(apiKeyFirstUsed(firstKey, secondsLater(5)));

    expect(
      [before, after].map((state) => live(state)?.apiKeys.map(({ firstUsedAt }) => firstUsedAt)),
    ).to.deep.equal([
      [start, undefined],
      [start, undefined],
    ]);
  });

  it('is not changed by an action that is recorded for the audit log', () => {
    const { before, after } = given(accountCreated(), apiKeyCreated(firstKey)).when(actionRecorded());

    expect(after).to.deep.equal(before);
  });

  it('does not restore a deleted key', () => {
    const { before, after } = given(accountCreated(), apiKeyCreated(firstKey), apiKeyDeleted(firstKey)).when(
      apiKeyCreated(firstKey),
    );

    expect(after).to.deep.equal(before);
  });

  it('does not add a key whose deletion came first', () => {
    const { after } = given(accountCreated(), apiKeyDeleted(firstKey)).when(apiKeyCreated(firstKey));

    expect(keyIds(after)).to.deep.equal([]);
  });

  it('suspends the account until it is resumed', () => {
    const { before, after } = given(accountCreated(), accountSuspended()).when(accountResumed());

    expect([live(before)?.isSuspended, live(after)?.isSuspended]).to.deep.equal([true, false]);
  });

  it('counts its suspensions', () => {
    const { before, after } = given(accountCreated(), accountSuspended()).when(
      accountResumed(),
      accountSuspended(),
    );

    expect([live(before)?.suspensions, live(after)?.suspensions]).to.deep.equal([1, 2]);
  });

  it('retains the time of its first deletion', () => {
    const again = { ...accountDeleted(), context: contextOf(testAccountId, { at: secondsLater(60) }) };
    const { before, after } = given(accountCreated(), accountDeleted()).when(again);

    expect(after).to.deep.equal(before);
  });

  it('remembers the last thousand deleted keys', () => {
    const deletions = Array.from({ length: 1001 }, (_, number) =>
      apiKeyDeleted(testIdentifier('key', number)),
    );
    const { after } = given(accountCreated()).when(...deletions);

    expect(live(after)?.deletedApiKeys.map(({ id }) => id)).to.deep.equal(
      deletions.slice(1).map(({ value }) => 'keyId' in value && value.keyId),
    );
  });

  for (const fact of [
    toPro,
    accountSuspended(),
    accountResumed(),
    apiKeyCreated(firstKey),
    apiKeyDeleted(firstKey),
  ]) {
    it(`creates no account from ${fact.type}`, () => {
      expect(given().when(fact).after).to.equal(null);
    });
  }
});

describe('evolveAccount: deleted', () => {
  const deleted = { id: testAccountId, isDeleted: true, deletedAt: start };

  it('keeps only the id', () => {
    expect(given(accountCreated(), apiKeyCreated(firstKey)).when(accountDeleted()).after).to.deep.equal(
      deleted,
    );
  });

  for (const fact of [accountCreated(), toPro, accountResumed(), apiKeyCreated(firstKey), accountDeleted()]) {
    it(`is not changed by ${fact.type}`, () => {
      expect(given(accountCreated(), accountDeleted()).when(fact).after).to.deep.equal(deleted);
    });
  }

  it('applies if the creation is read later', () => {
    expect(given(accountDeleted()).when(accountCreated()).after).to.deep.equal(deleted);
  });
});

describe('evolveAccount: any facts', () => {
  const anyFact = anyAccountFact.map((fact): Fact => ({
    ...fact,
    context: contextOf(testAccountId, { mode: null }),
  }));
  const anyFacts = fc.array(anyFact, { maxLength: 12 });
  const stateOf = (facts: readonly Fact[]) => given(accountCreated(), ...facts).when().after;

  itHolds('change nothing if they are folded twice', [anyFacts, anyFact], (facts, fact) => {
    expect(stateOf([...facts, fact, fact])).to.deep.equal(stateOf([...facts, fact]));
  });

  itHolds('leave no key that was ever deleted', [anyFacts], (facts) => {
    const deleted = facts.flatMap(({ type, value }) =>
      type === 'postrider.api-key.deleted' ? [value.keyId] : [],
    );

    expect(keyIds(stateOf(facts)) ?? []).to.not.include.oneOf([...deleted, 'none']);
  });

  itHolds('leave each key once', [anyFacts], (facts) => {
    const ids = keyIds(stateOf(facts)) ?? [];

    expect(new Set(ids).size).to.equal(ids.length);
  });
});
