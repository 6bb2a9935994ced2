import { expect } from 'chai';

import type { RawRecord } from '../../../shared/log/encoding/record.js';
import { deliveryRecords } from '../../../shared/log/records/deliveries.js';
import { encodeEvent } from '../../../shared/log/records/events.js';
import { replayRecords } from '../../../shared/log/records/replays.js';
import { lifeMarksOf } from '../../../shared/domain/tenants/tenant.js';
import { tenantIdOf } from '../../../shared/store/models/documents.js';
import { createErasedLives } from '../../../shared/tenants/erasedLives.js';
import { succeeded, testEventId } from '../../support/deliveryFacts.js';
import { start, testIdentifier } from '../../support/facts.js';
import { rawRecord } from '../../support/records.js';
import { replayRequested } from '../../support/replayFacts.js';
import { openStoredModels, type StoredModels } from '../../support/storedModels.js';
import { eventNumber } from '../../projections/histories.js';

const accountId = testIdentifier('acct');
const tenantId = 'customer-1';
const life = { lifeId: 'life-1', eventsFrom: [10], eventsBelow: [20], deletedAt: start, isErased: true };

function eventAt(offset: number, tenant: string | null = tenantId): RawRecord {
  const event = { ...eventNumber(1), id: testEventId, accountId, tenantId: tenant };
  return rawRecord(encodeEvent(event), { partition: 0, offset });
}

function attemptOf(tenancy: string, eventOffset: number): RawRecord {
  const { context, ...fact } = succeeded();
  const inTenant = { ...context, accountId, tenantId, tenancy, eventOffset };
  return rawRecord(deliveryRecords.encode(fact, inTenant, 0), { partition: 0, offset: 500 });
}

function replayOf(tenancy: string): RawRecord {
  const { context, ...fact } = replayRequested();
  return rawRecord(replayRecords.encode(fact, { ...context, accountId, tenantId, tenancy }), { offset: 15 });
}

describe('the records of erased lives', () => {
  let stored: StoredModels;
  before(async () => {
    stored = await openStoredModels('tenants');
    const ended = [life, { ...life, lifeId: 'life-2', eventsFrom: [30], eventsBelow: [40], isErased: false }];
    await stored.collectionOf('tenants').insertOne({
      _id: tenantIdOf(accountId, 'live', tenantId),
      ...{ accountId, mode: 'live', tenantId, status: 'active', name: null, metadata: [], created: start },
      ...{ lifeId: 'life-3', eventsFrom: [50], revocations: 0, ended, positions: {}, recordIds: [] },
      ...lifeMarksOf(ended),
    });
  });

  /** Whether the filter keeps each record. */
  const kept = async (...records: readonly RawRecord[]) => {
    const remaining = await createErasedLives(stored.models.tenants, () => performance.now()).without(
      records,
    );
    return records.map((record) => remaining.includes(record));
  };

  it('are dropped if they are about an event of the life, by its position', async () => {
    const events = [9, 10, 19, 20, 35, 55].map((offset) => eventAt(offset));
    expect(await kept(...events)).to.deep.equal([true, false, false, true, true, true]);
  });

  it('are dropped if they are about a delivery of such an event, also to a webhook of every tenant', async () => {
    expect(await kept(attemptOf('*', 15), attemptOf('*', 25), attemptOf('life-3', 55))).to.deep.equal([
      false,
      true,
      true,
    ]);
  });

  it('are dropped if they are about a webhook or a replay of the life', async () => {
    expect(
      await kept(attemptOf('life-1', 55), replayOf('life-1'), replayOf('life-2'), replayOf('life-3')),
    ).to.deep.equal([false, false, true, true]);
  });

  it('are kept for other tenants, and without a tenant', async () => {
    expect(await kept(eventAt(15, 'customer-2'), eventAt(15, null))).to.deep.equal([true, true]);
  });

  it('cost no read without a tenant, and one read a second in an account without erased lives', async () => {
    let reads = 0;
    const findPage = () => {
      reads += 1;
      return Promise.resolve([]);
    };
    const filter = createErasedLives({ findPage }, () => 0);
    await filter.without([eventAt(15, null)]);
    const without = reads;
    await filter.without([eventAt(15), eventAt(16, 'customer-2')]);
    await filter.without([eventAt(17, 'customer-3')]);
    expect([without, reads]).to.deep.equal([0, 1]);
  });

  it('are unknown while the read model is incomplete', async () => {
    const incomplete = await openStoredModels('tenants');
    try {
      await incomplete.collectionOf('tenants').updateOne({ _id: 'meta' }, { $set: { complete: false } });
      const filter = createErasedLives(incomplete.models.tenants, () => performance.now());
      expect(await filter.without([eventAt(15)]).catch(String)).to.include('tenants');
    } finally {
      await incomplete.close();
    }
  });
});
