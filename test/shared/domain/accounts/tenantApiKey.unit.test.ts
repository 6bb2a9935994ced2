import { expect } from 'chai';

import {
  evolveTenantApiKey,
  type TenantApiKeyFact,
  type TenantApiKeyState,
} from '../../../../shared/domain/accounts/tenantApiKey.js';
import { scenario, start, testIdentifier, type InContext } from '../../../support/facts.js';
import {
  lifeOf,
  tenantKeyCreated,
  tenantKeyDeleted,
  tenantKeyFirstUsed,
  testTenantId,
  testTenantKey,
} from '../../../support/tenantFacts.js';

const { given } = scenario<NonNullable<TenantApiKeyState>, InContext<TenantApiKeyFact>>(evolveTenantApiKey);

const { keyId: id, ...fields } = testTenantKey;
const identity = {
  ...{ id, accountId: testIdentifier('acct'), mode: 'live', tenantId: testTenantId, lifeId: lifeOf(1) },
  created: new Date(start.getTime() + 2),
};

describe('evolveTenantApiKey', () => {
  it('creates a key of the life that its record names', () => {
    const { after } = given().when(tenantKeyCreated(2, 1));
    expect(after).to.deep.equal({ ...identity, ...fields, keyStatus: 'active' });
  });

  it('remembers only the first use', () => {
    const { after } = given(tenantKeyCreated(2, 1)).when(tenantKeyFirstUsed(3, 1), tenantKeyFirstUsed(4, 1));
    expect(after).to.deep.include({ firstUsedAt: new Date(start.getTime() + 3) });
  });

  it('keeps only the ids of a deleted key', () => {
    const { after } = given(tenantKeyCreated(2, 1), tenantKeyFirstUsed(3, 1)).when(tenantKeyDeleted(4, 1));
    expect(after).to.deep.equal({ ...identity, keyStatus: 'deleted' });
  });

  for (const fact of [tenantKeyCreated(5, 1), tenantKeyFirstUsed(5, 1), tenantKeyDeleted(5, 1)]) {
    it(`ignores ${fact.type} of a deleted key`, () => {
      const { before, after } = given(tenantKeyCreated(2, 1), tenantKeyDeleted(4, 1)).when(fact);
      expect(after).to.equal(before);
    });
  }

  it('ignores another creation, and a deletion that names another life', () => {
    const { before, after } = given(tenantKeyCreated(2, 1)).when(
      tenantKeyCreated(6, 9),
      tenantKeyDeleted(7, 9),
    );
    expect(after).to.equal(before);
  });

  for (const fact of [tenantKeyFirstUsed(5, 1), tenantKeyDeleted(5, 1)]) {
    it(`ignores ${fact.type} of a key that was never created`, () => {
      expect(given().when(fact).after).to.equal(null);
    });
  }
});
