import { expect } from 'chai';

import { evolveTenant, lifeMarksOf, type TenantFact } from '../../../shared/domain/tenants/tenant.js';
import { tenantIdOf, type TenantDocument } from '../../../shared/store/models/documents.js';
import { createEndedLives, type EndedLives } from '../../../shared/tenants/endedLives.js';
import { scenario, testIdentifier, type InContext } from '../../support/facts.js';
import { openStoredModels, type StoredModels } from '../../support/storedModels.js';
import { tenantCreated, tenantDeleted, tenantErased, testTenantId } from '../../support/tenantFacts.js';

const accountId = testIdentifier('acct');
const { given } = scenario(evolveTenant);

/** The document of the tenant after these facts, whose last record has the given offset. */
function tenantDocument(offset: number, ...facts: readonly InContext<TenantFact>[]): TenantDocument {
  const { after } = given().when(...facts);
  if (after === null) {
    throw new Error('these facts leave no tenant');
  }
  const own = {
    _id: tenantIdOf(accountId, 'live', testTenantId),
    positions: { 'tenants/0': offset },
    recordIds: [],
    ...lifeMarksOf(after.ended),
  };
  return after.status === 'active'
    ? { ...after, metadata: Object.entries(after.metadata), ...own }
    : { ...after, name: null, metadata: [], ...own };
}

describe('the ended lives of tenants', () => {
  let stored: StoredModels;
  let endedLives: EndedLives;

  beforeEach(async () => {
    stored = await openStoredModels('tenants');
    endedLives = createEndedLives(stored.models.tenants);
  });
  afterEach(() => stored.close());

  const store = async (offset: number, ...facts: readonly InContext<TenantFact>[]) => {
    const document = tenantDocument(offset, ...facts);
    await stored.collectionOf('tenants').replaceOne({ _id: document._id }, document, { upsert: true });
    await stored.advance('tenants', { tenants: { 0: offset + 1 } });
  };

  const contain = (offset: number | null, isCurrent = true, tenantId: string | null = testTenantId) =>
    endedLives.contain(
      { accountId, mode: 'live', tenantId, position: { partition: 0, offset } },
      { isCurrent },
    );

  it('contain the events between the creation and the deletion of a tenant', async () => {
    await store(0, tenantCreated(1), tenantDeleted(3, 1));
    expect([await contain(0), await contain(1), await contain(2), await contain(3)]).to.deep.equal([
      false,
      true,
      true,
      false,
    ]);
  });

  it('contain neither an event without a tenant nor one at an unknown position', async () => {
    await store(0, tenantCreated(1), tenantDeleted(3, 1));
    expect([
      await contain(1, true, null),
      await contain(null),
      await contain(1, true, 'other'),
    ]).to.deep.equal([false, false, false]);
  });

  it('do not contain the events of another life with the same tenant id', async () => {
    await store(0, tenantCreated(1), tenantDeleted(3, 1), tenantCreated(5));
    expect([await contain(2), await contain(4), await contain(5)]).to.deep.equal([true, false, false]);
  });

  it('contain a later deletion in a current read, and after a second in any read', async () => {
    await store(0, tenantCreated(1));
    const before = await contain(1);
    await store(1, tenantCreated(1), tenantDeleted(3, 1));
    expect([before, await contain(1, false), await contain(1)]).to.deep.equal([false, false, true]);
  });

  it('end with the erasure of the life', async () => {
    await store(0, tenantCreated(1), tenantDeleted(3, 1));
    const before = await contain(1);
    await store(1, tenantCreated(1), tenantDeleted(3, 1), tenantErased(4, 1));
    expect([before, await contain(1), await endedLives.all()]).to.deep.equal([true, false, []]);
  });

  it('are read again from another generation', async () => {
    await store(0, tenantCreated(1), tenantDeleted(3, 1));
    const before = await contain(1);
    await stored.collectionOf('tenants').deleteMany({ tenantId: testTenantId });
    await stored.restart('tenants');
    expect([before, await contain(1)]).to.deep.equal([true, false]);
  });

  it('are unknown while the read model is incomplete', async () => {
    await stored.collectionOf('tenants').updateOne({ _id: 'meta' }, { $set: { complete: false } });
    expect(await contain(1).catch(String)).to.include('tenants');
  });
});
