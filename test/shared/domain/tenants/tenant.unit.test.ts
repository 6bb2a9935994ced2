import { expect } from 'chai';
import fc from 'fast-check';

import {
  containsEvent,
  decideTenantUpdate,
  evolveTenant,
  type Tenant,
  type TenantFact,
  type TenantSettings,
  type TenantState,
} from '../../../../shared/domain/tenants/tenant.js';
import { scenario, start, testActor, testIdentifier, type InContext } from '../../../support/facts.js';
import {
  lifeOf,
  sessionsRevoked,
  tenantCreated,
  tenantDeleted,
  tenantErased,
  tenantUpdated,
  testTenantId,
} from '../../../support/tenantFacts.js';

const { given } = scenario<NonNullable<TenantState>, InContext<TenantFact>>(evolveTenant);

const identity = { accountId: testIdentifier('acct'), mode: 'live', tenantId: testTenantId };

function timeOf(number: number): Date {
  return new Date(start.getTime() + number);
}

function activeAfter(...facts: readonly InContext<TenantFact>[]): Tenant {
  const { after } = given().when(...facts);
  if (after?.status !== 'active') {
    throw new Error('these facts leave no tenant');
  }
  return after;
}

describe('evolveTenant', () => {
  it('creates a tenant, whose life has the id of the record and the events from its offsets', () => {
    expect(activeAfter(tenantCreated(1))).to.deep.equal({
      ...identity,
      status: 'active',
      created: timeOf(1),
      lifeId: lifeOf(1),
      revocations: 0,
      eventsFrom: [1, 0],
      name: 'Acme',
      metadata: { plan: 'gold' },
      ended: [],
    });
  });

  it('changes only the fields of an update', () => {
    const before = activeAfter(tenantCreated(1));
    const after = activeAfter(tenantCreated(1), tenantUpdated(2, { name: { from: 'Acme', to: null } }));
    expect(after).to.deep.equal({ ...before, name: null });
  });

  it('counts the revocations of portal sessions of its life', () => {
    const facts = [tenantCreated(1), sessionsRevoked(2, 1), sessionsRevoked(3, 1), sessionsRevoked(4, 9)];
    expect(activeAfter(...facts).revocations).to.equal(2);
  });

  it('begins another life without revocations', () => {
    const facts = [tenantCreated(1), sessionsRevoked(2, 1), tenantDeleted(3, 1), tenantCreated(4)];
    expect(activeAfter(...facts).revocations).to.equal(0);
  });

  it('keeps only the lives of a deleted tenant', () => {
    const { after } = given(tenantCreated(1)).when(tenantDeleted(5, 1));
    expect(after).to.deep.equal({
      ...identity,
      status: 'deleted',
      created: timeOf(1),
      lifeId: lifeOf(1),
      revocations: 0,
      eventsFrom: [1, 0],
      ended: [
        { lifeId: lifeOf(1), eventsFrom: [1, 0], eventsBelow: [5, 0], deletedAt: timeOf(5), isErased: false },
      ],
    });
  });

  it('begins another life after a deletion, with none of the earlier fields', () => {
    const after = activeAfter(
      tenantCreated(1),
      tenantDeleted(5, 1),
      tenantCreated(9, { name: null, metadata: {} }),
    );
    expect(after).to.deep.include({ lifeId: lifeOf(9), created: timeOf(9), name: null, metadata: {} });
    expect(after.ended.map(({ lifeId }) => lifeId)).to.deep.equal([lifeOf(1)]);
  });

  it('does not begin an ended life again on a duplicate of its creation', () => {
    const { before, after } = given(tenantCreated(1), tenantDeleted(5, 1)).when(tenantCreated(1));
    expect(after).to.equal(before);
  });

  const harmless: Readonly<Record<string, readonly InContext<TenantFact>[]>> = {
    'a creation of an active tenant': [tenantCreated(7)],
    'the deletion of another life': [tenantDeleted(7, 6)],
  };
  for (const [what, facts] of Object.entries(harmless)) {
    it(`ignores ${what}`, () => {
      const { before, after } = given(tenantCreated(1)).when(...facts);
      expect(after).to.equal(before);
    });
  }

  for (const fact of [tenantUpdated(7, { name: { from: null, to: 'B' } }), tenantDeleted(7, 1)]) {
    it(`ignores ${fact.type} of an ended life`, () => {
      const { before, after } = given(tenantCreated(1), tenantDeleted(5, 1)).when(fact);
      expect(after).to.equal(before);
    });

    it(`ignores ${fact.type} of a tenant that was never created`, () => {
      expect(given().when(fact).after).to.equal(null);
    });
  }

  it('marks an ended life as erased, also after another life has begun', () => {
    const { after } = given(
      tenantCreated(1),
      tenantDeleted(2, 1),
      tenantCreated(3),
      tenantDeleted(4, 3),
      tenantCreated(5),
    ).when(tenantErased(6, 1));
    expect(after?.ended.map(({ lifeId, isErased }) => [lifeId, isErased])).to.deep.equal([
      [lifeOf(1), true],
      [lifeOf(3), false],
    ]);
  });

  for (const [what, facts] of Object.entries({
    'a tenant that was never created': [],
    'a life that has not ended': [tenantCreated(1)],
    'an erased life': [tenantCreated(1), tenantDeleted(2, 1), tenantErased(3, 1)],
  })) {
    it(`ignores the erasure of ${what}`, () => {
      const { before, after } = given(...facts).when(tenantErased(9, 1));
      expect(after).to.equal(before);
    });
  }

  it('remembers each ended life once, whatever is duplicated', () => {
    const anyFact = fc.oneof(
      fc.nat(4).map((life) => tenantCreated(life)),
      fc.nat(4).map((life) => tenantDeleted(10 + life, life)),
    );
    fc.assert(
      fc.property(fc.array(anyFact, { maxLength: 20 }), (facts) => {
        const { after } = given().when(...facts);
        const lives = after?.ended.map(({ lifeId }) => lifeId) ?? [];
        expect(lives).to.have.members([...new Set(lives)]);
        expect(lives.includes(after?.lifeId ?? '')).to.equal(after?.status === 'deleted');
      }),
    );
  });
});

describe('containsEvent', () => {
  const life = { eventsFrom: [3, 0], eventsBelow: [5, 0, 2] };
  const contained = (partition: number) =>
    [0, 1, 2, 3, 4, 5, 6].filter((offset) => containsEvent(life, { partition, offset }));

  it('contains the events from the creation to the deletion of the tenant', () => {
    expect([contained(0), contained(1)]).to.deep.equal([[3, 4], []]);
  });

  it('contains the events of a partition that was added during the life, and none of one that was added later', () => {
    expect([contained(2), contained(3)]).to.deep.equal([[0, 1], []]);
  });
});

describe('decideTenantUpdate', () => {
  const update = (changes: Partial<TenantSettings>) =>
    decideTenantUpdate(activeAfter(tenantCreated(1)), changes, testActor);

  it('changes nothing if all fields are left out or unchanged', () => {
    const unchanged = [{}, { name: 'Acme' }, { metadata: { plan: 'gold' } }];
    expect(unchanged.flatMap((changes) => update(changes))).to.deep.equal([]);
  });

  it('ignores the order of metadata', () => {
    const tenant = { ...activeAfter(tenantCreated(1)), metadata: { a: '1', b: '2' } };
    expect(decideTenantUpdate(tenant, { metadata: { b: '2', a: '1' } }, testActor)).to.deep.equal([]);
  });

  for (const metadata of [{}, { plan: 'silver' }, { Plan: 'gold' }, { plan: 'gold', region: 'eu' }]) {
    it(`replaces the metadata by ${JSON.stringify(metadata)}`, () => {
      const [fact] = update({ metadata });
      expect(fact?.value).to.deep.include({
        changes: { metadata: { from: { plan: 'gold' }, to: metadata } },
      });
    });
  }

  it('resets the name with null', () => {
    const [fact] = update({ name: null });
    expect(fact?.value).to.deep.include({ changes: { name: { from: 'Acme', to: null } } });
  });
});
