import { expect } from 'chai';

import { attemptsProjection } from '../../../projections/models/attempts.js';
import { eventsProjection } from '../../../projections/models/events.js';
import { replaysProjection } from '../../../projections/models/replays.js';
import type { DeliveryFact } from '../../../shared/domain/deliveries/deliveryFacts.js';
import type { RawRecord } from '../../../shared/log/encoding/record.js';
import { deliveryRecords } from '../../../shared/log/records/deliveries.js';
import { encodeEvent } from '../../../shared/log/records/events.js';
import { replayRecords } from '../../../shared/log/records/replays.js';
import { entriesOf } from '../../../shared/store/entries/deliveryEntries.js';
import { entryOperations } from '../../../shared/store/entries/entryChanges.js';
import { failed, matched, requested, succeeded, testEventId } from '../../support/deliveryFacts.js';
import type { InContext } from '../../support/facts.js';
import { rawRecord } from '../../support/records.js';
import { replayRequested } from '../../support/replayFacts.js';
import { foldedDocument } from '../foldedLog.js';
import { eventNumber } from '../histories.js';

const tenant = { tenantId: 'customer-1', tenancy: 'life-1', eventOffset: 10 };
const event = { ...eventNumber(1), id: testEventId };
const own = rawRecord(encodeEvent({ ...event, tenantId: 'customer-1' }), { partition: 1, offset: 10 });

function ofTenant(fact: InContext<DeliveryFact>, offset = 0): RawRecord {
  const { context, ...rest } = fact;
  return rawRecord(deliveryRecords.encode(rest, { ...context, ...tenant }, 1), { partition: 1, offset });
}

const folded = (...records: readonly RawRecord[]) => foldedDocument(eventsProjection, records);

describe('the document of an event of a tenant', () => {
  it('contains the tenant and the position of the event', () => {
    expect(folded(own)).to.include({ tenantId: 'customer-1', home: 1, homeOffset: 10 });
  });

  it('contains them before the record of the event is folded', () => {
    expect(folded(ofTenant(succeeded()))).to.include({ tenantId: 'customer-1', home: 1, homeOffset: 10 });
  });

  it('is the same in either order of its records', () => {
    const delivered = ofTenant(failed());
    expect(folded(delivered, own)).to.deep.equal(folded(own, delivered));
  });

  it('has no tenant if the record of the event has none', () => {
    const plain = rawRecord(encodeEvent({ ...event, tenantId: null }), { partition: 1, offset: 10 });
    expect(folded(ofTenant(succeeded()), plain)).not.to.have.any.keys('tenantId', 'homeOffset');
  });

  for (const [what, fact] of Object.entries({ attempt: succeeded(), 'request of a resend': requested(1) })) {
    it(`contains the tenancy of a delivery after its ${what}`, () => {
      expect(folded(ofTenant(fact))?.deliveries[0]).to.include({ tenancy: 'life-1' });
    });
  }

  it('contains the tenancy of each webhook that matches', () => {
    const { context, type, value } = matched({});
    const webhooks = [
      { webhookId: 'wh_1', epoch: 0, waits: null, tenancy: 'life-1' },
      { webhookId: 'wh_2', epoch: 0, waits: 'busy', tenancy: '*' },
    ] as const;
    const record = rawRecord(deliveryRecords.encode({ type, value: { ...value, webhooks } }, context, 1), {
      ...{ partition: 1, offset: 0 },
    });
    expect(folded(own, record)?.deliveries.map(({ tenancy }) => tenancy)).to.deep.equal(['life-1', '*']);
  });

  it('keeps the tenancy in later cycles', () => {
    expect(folded(ofTenant(succeeded()), ofTenant(requested(1), 1))?.deliveries[0]).to.include({
      ...{ cycle: 1, tenancy: 'life-1' },
    });
  });

  it('has entries with its tenant, and counters with the tenancy of the webhook', () => {
    const document = folded(own, ofTenant(failed()));
    const entries = document === undefined ? [] : entriesOf(document);
    const counted = entryOperations([{ before: [], after: entries }]);
    expect(entries.map(({ entry }) => entry.ofTenant)).to.deep.equal(['customer-1']);
    expect(JSON.stringify(counted)).to.include('"counters.ofTenancy":"life-1"');
  });
});

describe('the document of an event without a tenant', () => {
  it('has no field of tenants, and neither have its entries', () => {
    const plain = rawRecord(encodeEvent({ ...event, tenantId: null }), { partition: 1, offset: 10 });
    const { context, ...fact } = failed();
    const record = rawRecord(deliveryRecords.encode(fact, context, 1), { partition: 1, offset: 0 });
    const document = folded(plain, record);
    const entries = document === undefined ? [] : entriesOf(document);
    const text = JSON.stringify([document, entries, entryOperations([{ before: [], after: entries }])]);
    expect(text).not.to.match(/tenant|tenancy|homeOffset/i);
  });
});

describe('the documents of a tenant', () => {
  it('are its attempts, with the tenancy of the webhook', () => {
    expect(foldedDocument(attemptsProjection, [ofTenant(succeeded())])).to.include({ tenancy: 'life-1' });
  });

  it('are its replays, with the tenant and the tenancy of the webhook', () => {
    const { context, ...fact } = replayRequested();
    const record = rawRecord(replayRecords.encode(fact, { ...context, ...tenant }), {
      partition: 0,
      offset: 0,
    });
    expect(foldedDocument(replaysProjection, [record])).to.include({
      ...{ tenantId: 'customer-1', tenancy: 'life-1' },
    });
  });
});
