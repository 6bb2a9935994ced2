import { expect } from 'chai';

import { tenantsProjection } from '../../../projections/models/tenants.js';
import type { TenantApiKeyFact } from '../../../shared/domain/accounts/tenantApiKey.js';
import type { TenantFact } from '../../../shared/domain/tenants/tenant.js';
import { tenantRecords } from '../../../shared/log/records/tenants.js';
import { start, testIdentifier, type InContext } from '../../support/facts.js';
import { rawRecord } from '../../support/records.js';
import {
  lifeOf,
  tenantCreated,
  tenantDeleted,
  tenantErased,
  tenantKeyCreated,
  tenantKeyDeleted,
  tenantKeyFirstUsed,
  testTenantId,
  testTenantKey,
} from '../../support/tenantFacts.js';
import { appended, batchesOf, foldAll, foldedDocument } from '../foldedLog.js';

type AnyFact = InContext<TenantFact> | InContext<TenantApiKeyFact>;

function encoded(fact: AnyFact) {
  return tenantRecords.encode(fact, fact.context);
}

function recordOf(fact: AnyFact, offset = 0, changes: { readonly key?: string } = {}) {
  return rawRecord(tenantRecords.encode(fact, { ...fact.context, ...changes }), { partition: 1, offset });
}

/** The document of the tenant after these facts. */
function documentAfter(...facts: readonly InContext<TenantFact>[]) {
  const document = foldedDocument(
    tenantsProjection,
    facts.map((fact, offset) => recordOf(fact, offset)),
  );
  return document !== undefined && 'keyStatus' in document ? undefined : document;
}

const accountId = testIdentifier('acct');

describe('tenantsProjection', () => {
  it('stores the metadata as a list, because keys may contain dots and dollar signs', () => {
    expect(documentAfter(tenantCreated(1, { metadata: { 'a.b': '1', $c: '2' } }))).to.deep.equal({
      _id: `${accountId}/live/${testTenantId}`,
      ...{ accountId, mode: 'live', tenantId: testTenantId, status: 'active', name: 'Acme' },
      created: new Date(start.getTime() + 1),
      lifeId: lifeOf(1),
      revocations: 0,
      eventsFrom: [1, 0],
      metadata: [
        ['a.b', '1'],
        ['$c', '2'],
      ],
      ended: [],
      positions: { 'tenants/1': 0 },
      recordIds: [lifeOf(1)],
    });
  });

  it('keeps neither the name nor the metadata of a deleted tenant', () => {
    expect(documentAfter(tenantCreated(1), tenantDeleted(2, 1))).to.deep.include({
      status: 'deleted',
      name: null,
      metadata: [],
    });
  });

  it('marks a tenant while an ended life is not erased, and a tenant with an erased life', () => {
    const facts = [
      tenantCreated(1),
      tenantDeleted(2, 1),
      tenantErased(3, 1),
      tenantCreated(4),
      tenantDeleted(5, 4),
    ];
    const marks = facts.map((_fact, index) => {
      const { hasEnded, erasing, hasErased } = documentAfter(...facts.slice(0, index + 1)) ?? {};
      return { hasEnded, erasing, hasErased };
    });
    const [none, ended, erased] = [
      { hasEnded: undefined, erasing: undefined, hasErased: undefined },
      { hasEnded: true, erasing: true, hasErased: undefined },
      { hasEnded: true, erasing: undefined, hasErased: true },
    ];
    expect(marks).to.deep.equal([none, ended, erased, erased, { ...erased, erasing: true }]);
  });

  const keyAfter = (...facts: readonly AnyFact[]) =>
    foldAll(tenantsProjection, batchesOf(appended(facts.map((fact) => encoded(fact))), [])).get(
      testTenantKey.keyId,
    );

  it('stores an API key of a tenant in a separate document, with the time of its first use', () => {
    const { keyId: _id, ...fields } = testTenantKey;
    expect(keyAfter(tenantCreated(1), tenantKeyCreated(2, 1), tenantKeyFirstUsed(3, 1))).to.deep.include({
      _id,
      ...fields,
      ...{ accountId, tenantId: testTenantId, lifeId: lifeOf(1), keyStatus: 'active' },
      created: new Date(start.getTime() + 2),
      firstUsedAt: new Date(start.getTime() + 3),
    });
  });

  const endings: Readonly<Record<string, AnyFact>> = {
    'the deletion of the key': tenantKeyDeleted(3, 1),
    'the deletion of the tenant': tenantDeleted(3, 1, { apiKeyIds: [testTenantKey.keyId] }),
  };
  for (const [what, ending] of Object.entries(endings)) {
    it(`keeps neither the name nor the hash of an API key after ${what}, also after a duplicate of its creation`, () => {
      const document = keyAfter(
        tenantCreated(1),
        tenantKeyCreated(2, 1),
        ending,
        tenantKeyCreated(2, 1),
        tenantKeyFirstUsed(5, 1),
      );
      expect(document).to.have.all.keys(
        ...['_id', 'accountId', 'mode', 'tenantId', 'lifeId', 'created', 'keyStatus'],
        ...['positions', 'recordIds'],
      );
      expect(document).to.include({ keyStatus: 'deleted' });
    });
  }

  it('keeps an API key of another life than the deleted one', () => {
    const other = tenantDeleted(3, 9, { apiKeyIds: [testTenantKey.keyId] });
    expect(keyAfter(tenantCreated(1), tenantKeyCreated(2, 1), other)).to.include({ keyStatus: 'active' });
  });

  it('rejects a key that does not end with a tenant id', () => {
    const record = recordOf(tenantCreated(1), 0, { key: `${accountId}/null` });
    expect(tenantsProjection.read(record)).to.deep.equal({
      readable: false,
      reason: 'the key does not end with a tenant id',
    });
  });
});
