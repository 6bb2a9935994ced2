import { expect } from 'chai';
import fc from 'fast-check';

import { maximumBodyBytes, type AcceptedEvent } from '../../../../shared/domain/events/event.js';
import { decodeEvent, encodeEvent } from '../../../../shared/log/records/events.js';
import { partitionOf } from '../../../../shared/log/topics/partition.js';
import type { RawRecord } from '../../../../shared/log/encoding/record.js';
import { anyEvent } from '../../../support/arbitraries.js';
import { secondsLater, start, testIdentifier } from '../../../support/facts.js';
import { rawRecord } from '../../../support/records.js';
import { itHolds } from '../../../support/itHolds.js';

const oneDay = 24 * 60 * 60;

const event: AcceptedEvent = {
  id: testIdentifier('evt'),
  accountId: testIdentifier('acct'),
  mode: 'live',
  type: 'order.completed',
  created: start,
  data: Buffer.from('{ "amount": 1.10, "n": 9007199254740993, "é":"\\u00e9" }'),
  onlyWebhookId: null,
  tenantId: null,
};

type Changes = Partial<Pick<RawRecord, 'key' | 'value' | 'headers'>>;

function recordWith({ headers, ...changes }: Changes): RawRecord {
  const record = rawRecord(encodeEvent(event), { partition: 3, offset: 7 });
  return { ...record, ...changes, headers: { ...record.headers, ...headers } };
}

function reasonFor(changes: Changes): string {
  const decoded = decodeEvent(recordWith(changes));
  return decoded.readable ? 'none' : decoded.reason;
}

describe('encodeEvent', () => {
  it('uses only the data as the value, byte for byte', () => {
    expect(encodeEvent(event).value).to.equal(event.data);
  });

  it('uses the id of the event as the key and as ce_id', () => {
    const { topic, key, headers } = encodeEvent(event);

    expect([topic, key, headers['ce_id']]).to.deep.equal(['events', event.id, event.id]);
  });

  itHolds('writes a record that is decoded to the same event, whatever the event', [anyEvent], (written) => {
    expect(decodeEvent(rawRecord(encodeEvent(written)))).to.deep.equal({
      readable: true,
      content: written,
    });
  });
});

describe('decodeEvent', () => {
  it('returns exactly the bytes of the data', () => {
    const decoded = decodeEvent(recordWith({}));

    expect(decoded.readable && decoded.content.data.equals(event.data)).to.equal(true);
  });

  it('accepts an event in another partition than that of its key', () => {
    const elsewhere = (partitionOf(event.id, 12) + 1) % 12;

    expect(decodeEvent(rawRecord(encodeEvent(event), { partition: elsewhere })).readable).to.equal(true);
  });

  it('accepts data with a repeated member, like the API', () => {
    expect(reasonFor({ value: Buffer.from('{"a":1,"a":2}') })).to.equal('none');
  });

  it('ignores unknown headers', () => {
    expect(reasonFor({ headers: { traceparent: '00-0-0-01', ce_subject: 'x', dlq_redriven: '1' } })).to.equal(
      'none',
    );
  });

  it('reads the attributes of a CloudEvent, and no other headers', () => {
    const headers = {
      ce_postedid: '1',
      ce_postedsource: '/a',
      ce_postedX: 'x',
      ce_posted: 'y',
      ce_subject: 'z',
    };
    const decoded = decodeEvent(recordWith({ headers }));
    expect(decoded.readable && decoded.content.attributes).to.deep.equal({ id: '1', source: '/a' });
  });

  it('keeps the id, the source and the time of the record if the event was posted as a CloudEvent', () => {
    const attributes = { id: '1', source: '/a', time: '2020-01-01T00:00:00Z', mode: 'test' };
    const { headers } = encodeEvent({ ...event, attributes });
    expect([headers['ce_id'], headers['ce_source'], headers['ce_time'], headers['ce_mode']]).to.deep.equal([
      event.id,
      `/accounts/${event.accountId}`,
      event.created.toISOString(),
      'live',
    ]);
  });

  for (const seconds of [-oneDay, oneDay]) {
    it(`accepts a time that differs by ${seconds} s from that of the id`, () => {
      expect(reasonFor({ headers: { ce_time: secondsLater(seconds).toISOString() } })).to.equal('none');
    });
  }

  it('accepts as much data as the API', () => {
    const value = Buffer.from(`{"a":"${'x'.repeat(maximumBodyBytes - 8)}"}`);

    expect([value.length, reasonFor({ value })]).to.deep.equal([maximumBodyBytes, 'none']);
  });

  const tooFar = 'ce_time is not within a day of the time in ce_id';
  const noData = `the value is missing or larger than ${maximumBodyBytes} bytes`;
  const rejected: Record<string, { changes: Changes; reason: string }> = {
    'no key': { changes: { key: null }, reason: 'the record has no key' },
    'a key that is not the id': {
      changes: { key: Buffer.from(testIdentifier('evt', 2)) },
      reason: 'the key is not ce_id',
    },
    'an id of another kind': {
      changes: { headers: { ce_id: testIdentifier('wh') }, key: Buffer.from(testIdentifier('wh')) },
      reason: 'ce_id is not evt_ and a ULID',
    },
    'an id in another form': {
      changes: { headers: { ce_id: 'order-17' }, key: Buffer.from('order-17') },
      reason: 'ce_id is not evt_ and a ULID',
    },
    'a source that begins like an account': {
      changes: { headers: { ce_source: '/accounts/acct_1' } },
      reason: 'ce_source names no account id',
    },
    'a source below an account': {
      changes: { headers: { ce_source: `/accounts/${testIdentifier('acct')}/orders` } },
      reason: 'ce_source names no account id',
    },
    'a malformed tenant id': {
      changes: { headers: { ce_tenantid: 'customer 1' } },
      reason: 'ce_tenantid is not a tenant id, or is reserved',
    },
    'an empty tenant id': {
      changes: { headers: { ce_tenantid: '' } },
      reason: 'ce_tenantid is not a tenant id, or is reserved',
    },
    'a reserved tenant id': {
      changes: { headers: { ce_tenantid: '*' } },
      reason: 'ce_tenantid is not a tenant id, or is reserved',
    },
    'an invalid type': {
      changes: { headers: { ce_type: 'order-completed' } },
      reason: 'ce_type is not an event type',
    },
    'no mode': { changes: { headers: { ce_mode: undefined } }, reason: 'ce_mode is missing' },
    'another mode': { changes: { headers: { ce_mode: 'dry' } }, reason: 'ce_mode is neither live nor test' },
    'a time a day and a millisecond before the id’s': {
      changes: { headers: { ce_time: secondsLater(-oneDay - 0.001).toISOString() } },
      reason: tooFar,
    },
    'a time a day and a millisecond after the id’s': {
      changes: { headers: { ce_time: secondsLater(oneDay + 0.001).toISOString() } },
      reason: tooFar,
    },
    'no value': { changes: { value: null }, reason: noData },
    'a byte more than the API accepts': {
      changes: { value: Buffer.from(`{"a":"${'x'.repeat(maximumBodyBytes - 7)}"}`) },
      reason: noData,
    },
    'a value that is no object': {
      changes: { value: Buffer.from('[]') },
      reason: 'the value: it is not a JSON object',
    },
    'a value in bad UTF-8': {
      changes: { value: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]) },
      reason: 'the value: it is not valid UTF-8',
    },
    'a value that is nested too deeply': {
      changes: { value: Buffer.from(`{"a":${'['.repeat(1000)}${']'.repeat(1000)}}`) },
      reason: 'the value: it is nested deeper than 1000 levels',
    },
    'headers that are not those of CloudEvents': {
      changes: { headers: { ce_specversion: undefined } },
      reason: 'the header ce_specversion is not 1.0',
    },
  };
  for (const [what, { changes, reason }] of Object.entries(rejected)) {
    it(`rejects ${what}`, () => {
      expect(reasonFor(changes)).to.equal(reason);
    });
  }

  it('rejects a value that is not JSON', () => {
    expect(reasonFor({ value: Buffer.from('{"a":') })).to.match(/^the value: /);
  });

  it('never throws, whatever the headers and the value', () => {
    const { headers, value } = recordWith({});
    const anyText = fc.option(fc.string({ unit: 'binary' }), { nil: undefined });
    const anyHeaders = fc.record(
      Object.fromEntries(
        Object.entries(headers).map(([name, valid]) => [name, fc.oneof(fc.constant(valid), anyText)]),
      ),
    );
    const anyKey = fc.oneof(
      fc.constant(Buffer.from(event.id)),
      fc.string().map((text) => Buffer.from(text)),
    );
    const anyValue = fc.oneof(
      fc.constant(value),
      fc.json().map((text) => Buffer.from(text)),
      fc.constant(null),
    );
    fc.assert(
      fc.property(anyHeaders, anyKey, anyValue, (changed, key, data) => {
        expect(decodeEvent(recordWith({ headers: changed, key, value: data })).readable).to.be.a('boolean');
      }),
    );
  });
});
