import { expect } from 'chai';

import { encodeFence, readFencing, withFence } from '../../../../shared/log/records/fence.js';
import type { OutgoingRecord } from '../../../../shared/log/encoding/record.js';
import { deliveryRecords } from '../../../../shared/log/records/deliveries.js';
import { webhookRecords } from '../../../../shared/log/records/webhooks.js';
import { succeeded } from '../../../support/deliveryFacts.js';
import { start, testIdentifier, testRecordId } from '../../../support/facts.js';
import { rawRecord } from '../../../support/records.js';
import { webhookCreated } from '../../../support/webhookFacts.js';

const accountId = testIdentifier('acct');
const created = webhookCreated();
const command = webhookRecords.encode(created, created.context);
const none = { readable: true, content: null };

const fencingOf = (record: OutgoingRecord) => readFencing(rawRecord(record));

function withHeader(value: string): OutgoingRecord {
  return { ...command, headers: { ...command.headers, ce_fence: value } };
}

describe('the fencing of commands', () => {
  it('reads the number of a command’s lease', () => {
    expect(fencingOf(withFence(command, 1_732_105_853_248))).to.deep.equal({
      readable: true,
      content: { kind: 'command', scope: accountId, number: 1_732_105_853_248 },
    });
  });

  it('reads no number from a record without one', () => {
    expect(fencingOf(command)).to.deep.equal(none);
  });

  it('adds no number to a record of a topic without fences', () => {
    const fact = succeeded({ number: 1 });
    const record = deliveryRecords.encode(fact, fact.context, 0);
    expect(withFence(record, 7)).to.deep.equal(record);
  });

  it('reads the fence of a partition', () => {
    const fence = {
      topic: 'replays',
      partition: 3,
      accountId,
      number: 7,
      id: testRecordId(1),
      at: start,
    } as const;
    const record = encodeFence(fence);
    expect([record.partition, fencingOf(record)]).to.deep.equal([
      3,
      { readable: true, content: { kind: 'fence', scope: accountId, number: 7 } },
    ]);
  });

  for (const value of ['0', '-1', '1.5', '07', 'x', '12345678901234567']) {
    it(`rejects ${value} as a number`, () => {
      expect(fencingOf(withHeader(value))).to.deep.equal({
        readable: false,
        reason: 'ce_fence is not a positive whole number',
      });
    });
  }

  describe('of a tenant', () => {
    const tenant = { mode: 'live', tenantId: 'customer-42' } as const;
    const ofTenant = webhookRecords.encode(created, { ...created.context, tenantId: 'customer-42' });
    const scope = `${accountId}/live/customer-42`;
    const floor = `${accountId}/floor`;
    const fence = {
      topic: 'tenants',
      partition: 3,
      accountId,
      number: 7,
      id: testRecordId(1),
      at: start,
    } as const;

    it('reads the scope of the tenant and the floor of its account', () => {
      expect(fencingOf(withFence(ofTenant, 7, tenant))).to.deep.equal({
        readable: true,
        content: { kind: 'command', scope, floor, number: 7 },
      });
    });

    it('rejects the number of a tenant in a record without a tenant', () => {
      expect(fencingOf(withFence(command, 7, tenant))).to.deep.equal({
        readable: false,
        reason: 'ce_fence is the number of a tenant, and the record has no tenant',
      });
    });

    it('reads the fence of a tenant', () => {
      expect(fencingOf(encodeFence({ ...fence, tenant }))).to.deep.equal({
        readable: true,
        content: { kind: 'fence', scope, number: 7 },
      });
    });

    it('reads the floor', () => {
      expect(fencingOf(encodeFence({ ...fence, tenant: 'all' }))).to.deep.equal({
        readable: true,
        content: { kind: 'fence', scope: floor, number: 7 },
      });
    });
  });

  it('rejects a record with two numbers', () => {
    const record = { ...rawRecord(command), headers: { ...command.headers, ce_fence: ['1', '2'] } };
    expect(webhookRecords.decode(record)).to.deep.equal({
      readable: false,
      reason: 'the header ce_fence is repeated',
    });
  });
});
